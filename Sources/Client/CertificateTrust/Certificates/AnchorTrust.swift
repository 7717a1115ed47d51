// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// The trust settings that OpenSSL appends to a certificate in a PEM block `TRUSTED CERTIFICATE` (its structure
/// X509_CERT_AUX).
struct AnchorTrust: Hashable, Sendable {
    /// The purposes for which the anchor is trusted, in the place of its extended key usage; `nil` for all that its
    /// extended key usage allows.
    let trusted: ExtendedKeyUsage?
    /// The purposes for which the anchor is not trusted.
    let rejected: ExtendedKeyUsage?

    /// Reads settings: lists of trusted and of rejected purposes, a name, a key identifier and others, all optional.
    init(_ bytes: [UInt8]) throws(CertificateProblem) {
        do {
            var outer = DERReader(bytes[...])
            var fields = DERReader(try outer.only(DERTag.sequence, .certificate).content)
            var trusted = try fields.openIfPresent(DERTag.sequence, .certificate)
            var rejected = try fields.openIfPresent(DERTag.constructed(0), .certificate)
            self.trusted = try trusted.map { _ in try Self.purposes(&trusted) }
            self.rejected = try rejected.map { _ in try Self.purposes(&rejected) }
            while !fields.isAtEnd { guard fields.next() != nil else { throw CertificateEncodingError() } }
        } catch {
            throw .malformed(.trustSettings)
        }
    }

    private static func purposes(_ list: inout DERReader?) throws -> ExtendedKeyUsage {
        guard var fields = list else { throw CertificateEncodingError() }
        return try ExtendedKeyUsage(EncodedExtension.purposes(&fields))
    }

    /// Splits a certificate in DER from settings after it.
    static func split(_ bytes: [UInt8]) -> (certificate: [UInt8], settings: [UInt8]) {
        var reader = DERReader(bytes[...])
        guard let certificate = reader.next(), !reader.isAtEnd else { return (bytes, []) }
        return (Array(certificate.bytes), Array(reader.rest))
    }

    /// Returns whether a purpose is rejected.
    func rejects(_ purpose: ExtendedKeyUsage.Usage) -> Bool {
        guard let rejected else { return false }
        return rejected.contains(purpose) || rejected.contains(.any)
    }
}

/// An anchor that is only a name and a key, in the form of an unsigned certificate (RFC 9925).
enum PlainAnchor {
    /// The AlgorithmIdentifier id-alg-unsigned, 1.3.6.1.5.5.7.6.36.
    static let unsignedAlgorithm: [UInt8] = [0x30, 0x0a, 0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x06, 0x24]
    /// The years 1950 to 9999, which RFC 5280 section 4.1.2.5 uses for certificates without an end.
    private static let validity = [("500101000000Z", DERTag.utcTime), ("99991231235959Z", DERTag.generalizedTime)]
    /// The SubjectPublicKeyInfo of a 16384-bit RSA key has 2 KiB.
    private static let maximumKeySize = 8192

    /// Returns the certificate; `nil` if the constraints cannot be encoded or the key is too long.
    static func certificate(
        _ name: DistinguishedName, _ publicKeyInfo: [UInt8], _ constraints: NameConstraints?
    ) -> [UInt8]? {
        guard publicKeyInfo.count <= maximumKeySize else { return nil }
        var serializer = DER.Serializer()
        do {
            let authority = BasicConstraints.isCertificateAuthority(maxPathLength: nil)
            var extensions = [try Certificate.Extension(authority, critical: true)]
            if let constraints { extensions.append(try Certificate.Extension(constraints, critical: true)) }
            try serializer.appendConstructedNode(identifier: .sequence) { certificate in
                try certificate.appendConstructedNode(identifier: .sequence) { fields in
                    try fields.serialize(2, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
                    try fields.serialize(1)
                    fields.serializeRawBytes(unsignedAlgorithm)
                    try fields.serialize(name)
                    fields.appendConstructedNode(identifier: .sequence) { times in
                        for (time, tag) in validity {
                            times.serializeRawBytes([tag, UInt8(time.utf8.count)] + time.utf8)
                        }
                    }
                    try fields.serialize(name)
                    fields.serializeRawBytes(publicKeyInfo)
                    let tag = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
                    try fields.appendConstructedNode(identifier: tag) { tagged in
                        try tagged.appendConstructedNode(identifier: .sequence) { list in
                            for one in extensions {
                                try list.appendConstructedNode(identifier: .sequence) { parts in
                                    try parts.serialize(one.oid)
                                    try parts.serialize(true)
                                    try parts.serialize(ASN1OctetString(contentBytes: one.value))
                                }
                            }
                        }
                    }
                }
                certificate.serializeRawBytes(unsignedAlgorithm)
                try certificate.serialize(ASN1BitString(bytes: []))
            }
        } catch {
            return nil
        }
        return serializer.serializedBytes
    }
}
