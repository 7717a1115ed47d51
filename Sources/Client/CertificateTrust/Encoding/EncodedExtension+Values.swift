// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// The values of the extensions that every path asks for, read where they lie; swift-certificates reads the others.
extension EncodedExtension {
    /// The extension as swift-certificates takes it.
    func typed(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: isCritical, value: value)
    }

    private func content(_ tag: UInt8) throws(RevocationEncodingError) -> DERReader {
        var outer = DERReader(value)
        return DERReader(try outer.only(tag, .extensions).content)
    }

    /// RFC 5280 section 4.2.1.9.
    func basicConstraints() throws -> BasicConstraints {
        var fields = try content(DERTag.sequence)
        let isAuthority = try fields.takeFlag(DERTag.boolean, .extensions)
        var limit: Int?
        if fields.nextTag == DERTag.integer {
            let number = try fields.takeInteger(DERTag.integer, .extensions)
            guard let first = number.first, first < 0x80, number.count <= MemoryLayout<Int>.size else {
                throw CertificateEncodingError()
            }
            limit = number.reduce(0) { $0 << 8 | Int($1) }
        }
        try fields.finish(.extensions)
        guard isAuthority else {
            guard limit == nil else { throw CertificateEncodingError() }
            return .notCertificateAuthority
        }
        return .isCertificateAuthority(maxPathLength: limit)
    }

    /// RFC 5280 section 4.2.1.3: nine bits, without zeros at the end (X.690 section 11.2.2).
    func keyUsage() throws -> KeyUsage {
        let bits = try content(DERTag.bitString).rest
        guard let unused = bits.first, unused < 8 else { throw CertificateEncodingError() }
        let octets = Array(bits.dropFirst())
        guard let last = octets.last else {
            guard unused == 0 else { throw CertificateEncodingError() }
            return KeyUsage()
        }
        guard octets.count == 1 || octets.count == 2 && unused == 7, last.trailingZeroBitCount == Int(unused) else {
            throw CertificateEncodingError()
        }
        func has(_ bit: UInt8) -> Bool { octets[0] & (0x80 >> bit) != 0 }
        return KeyUsage(
            digitalSignature: has(0), nonRepudiation: has(1), keyEncipherment: has(2), dataEncipherment: has(3),
            keyAgreement: has(4), keyCertSign: has(5), cRLSign: has(6), encipherOnly: has(7),
            decipherOnly: octets.count == 2)
    }

    /// RFC 5280 section 4.2.1.12.
    func extendedKeyUsage() throws -> ExtendedKeyUsage {
        var fields = try content(DERTag.sequence)
        var usages: [ExtendedKeyUsage.Usage] = []
        while !fields.isAtEnd {
            guard usages.count < EncodedCertificate.extensionLimit else { throw CertificateEncodingError() }
            let identifier = try fields.take(DERTag.objectIdentifier, .extensions)
            usages.append(
                try Self.usages.first { $0.identifier.elementsEqual(identifier.content) }?.usage
                    ?? ExtendedKeyUsage.Usage(oid: ASN1ObjectIdentifier(derEncoded: identifier.bytes)))
        }
        return try ExtendedKeyUsage(usages)
    }

    private static let usages: [(identifier: [UInt8], usage: ExtendedKeyUsage.Usage)] = {
        let purposes: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03]
        return [
            (purposes + [1], .serverAuth), (purposes + [2], .clientAuth), (purposes + [9], .ocspSigning),
            ([0x55, 0x1d, 0x25, 0x00], .any),
        ]
    }()

    /// RFC 5280 section 4.2.1.6.
    func alternativeNames() throws -> [GeneralName] {
        var fields = try content(DERTag.sequence)
        var names: [GeneralName] = []
        while !fields.isAtEnd {
            guard let name = fields.next() else { throw CertificateEncodingError() }
            names.append(try Self.name(name))
        }
        return names
    }

    private static func name(_ element: DERReader.Element) throws -> GeneralName {
        switch element.tag {
        case DERTag.primitive(1): .rfc822Name(try text(element.content))
        case DERTag.primitive(2): .dnsName(try text(element.content))
        case DERTag.primitive(6): .uniformResourceIdentifier(try text(element.content))
        case DERTag.primitive(7): .ipAddress(ASN1OctetString(contentBytes: element.content))
        default: try GeneralName(derEncoded: element.bytes)
        }
    }

    /// An IA5String.
    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw CertificateEncodingError() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 5280 section 4.2.1.2.
    func subjectKeyIdentifier() throws -> ArraySlice<UInt8> { try content(DERTag.octetString).rest }

    /// RFC 5280 section 4.2.1.1.
    func authorityKeyIdentifier() throws -> AuthorityKeyIdentifier {
        var fields = try content(DERTag.sequence)
        if fields.nextTag == DERTag.primitive(0), let identifier = fields.next()?.content, fields.isAtEnd {
            return AuthorityKeyIdentifier(keyIdentifier: identifier)
        }
        return try AuthorityKeyIdentifier(typed(.X509ExtensionID.authorityKeyIdentifier))
    }

    /// Whether it is an authority information access that says something (RFC 5280 section 4.2.2.1).
    var isAuthorityInformation: Bool {
        guard var fields = try? content(DERTag.sequence), !fields.isAtEnd else { return false }
        while !fields.isAtEnd {
            guard var description = fields.enter(DERTag.sequence), let method = description.next(),
                method.tag == DERTag.objectIdentifier, method.content.isObjectIdentifier,
                let place = description.next(), description.isAtEnd, (try? Self.name(place)) != nil
            else { return false }
        }
        return true
    }
}
