// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// What a log signs a promise for (RFC 6962 section 3.2).
enum LoggedEntry {
    /// The certificate as it is: its timestamps come beside it.
    case certificate([UInt8])
    /// What was signed before the timestamps were put into the certificate, and whose key was going to sign it.
    case precertificate(issuerKeyHash: [UInt8], tbsCertificate: [UInt8])

    private static let certificateType: UInt64 = 0
    private static let precertificateType: UInt64 = 1

    /// The object identifier 1.3.6.1.4.1.11129.2.4.2, of the timestamps in a certificate.
    static let certificateExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02]
    /// The object identifier 1.3.6.1.4.1.11129.2.4.5, of the timestamps in an OCSP response.
    static let responseExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x05]

    /// The entry of the certificate that was made of a precertificate; `nil` where the certificate has no timestamps in it.
    static func beforeTimestamps(_ certificate: ParsedCertificate, issuer: ParsedCertificate) -> LoggedEntry? {
        guard let tbsCertificate = withoutTimestamps(certificate.signedBytes) else { return nil }
        return .precertificate(
            issuerKeyHash: Array(SHA256.hash(data: issuer.fields.publicKeyInfo)), tbsCertificate: tbsCertificate)
    }

    /// What the signature of a timestamp is over.
    func signedBytes(_ timestamp: SignedCertificateTimestamp) -> [UInt8] {
        // Version 1, and the signature type certificate_timestamp.
        var bytes: [UInt8] = [0, 0] + TLSEncoding.integer(timestamp.milliseconds, octets: 8)
        switch self {
        case .certificate(let certificate):
            bytes += TLSEncoding.integer(Self.certificateType, octets: 2)
            bytes += TLSEncoding.vector(certificate, lengthOctets: 3)
        case .precertificate(let hash, let tbsCertificate):
            bytes += TLSEncoding.integer(Self.precertificateType, octets: 2) + hash
            bytes += TLSEncoding.vector(tbsCertificate, lengthOctets: 3)
        }
        return bytes + TLSEncoding.vector(timestamp.extensions, lengthOctets: 2)
    }

    /// A TBSCertificate without its extension for timestamps, every other byte as it was.
    ///
    /// - Returns: `nil` where it has no such extension, or more than one.
    static func withoutTimestamps(_ tbsCertificate: ArraySlice<UInt8>) -> [UInt8]? {
        var outer = DERReader(tbsCertificate)
        guard var fields = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var kept: [UInt8] = []
        var removed = 0
        while !fields.rest.isEmpty {
            guard let field = fields.next() else { return nil }
            guard field.tag == DERTag.constructed(3) else {
                kept += field.bytes
                continue
            }
            guard let extensions = others(field.content, &removed) else { return nil }
            // An empty list of extensions is left out, because DER has none (RFC 5280 section 4.1).
            if !extensions.isEmpty { kept += element(DERTag.constructed(3), element(DERTag.sequence, extensions)) }
        }
        return removed == 1 ? element(DERTag.sequence, kept) : nil
    }

    /// The extensions but for that of timestamps.
    private static func others(_ tagged: ArraySlice<UInt8>, _ removed: inout Int) -> [UInt8]? {
        var outer = DERReader(tagged)
        guard var list = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var kept: [UInt8] = []
        while !list.rest.isEmpty {
            guard let one = list.next(), one.tag == DERTag.sequence else { return nil }
            var fields = DERReader(one.content)
            guard let identifier = fields.next(), identifier.tag == DERTag.objectIdentifier else { return nil }
            if identifier.content.elementsEqual(certificateExtension) { removed += 1 } else { kept += one.bytes }
        }
        return kept
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = TLSEncoding.integer(UInt64(content.count), octets: 8).drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
