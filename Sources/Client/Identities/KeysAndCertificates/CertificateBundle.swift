// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
internal import X509

/// The certificates of a PKCS#7 file: a certs-only SignedData (RFC 5652 section 5.1, .p7b and .p7c).
///
/// The signature of a signed file is not checked, because only the certificates are used.
enum CertificateBundle {
    private static let limit = 10_000

    /// Returns all X.509 certificates, in the order of the file; attribute certificates and other types are skipped.
    static func encodedCertificates(in bytes: [UInt8]) throws(IdentityError) -> [[UInt8]] {
        let info = try ContentInfo(try ASN1Node.parse(ber: bytes, as: .pkcs7), of: .pkcs7)
        guard info.type == .signedData else { throw .unsupported("PKCS#7 \(info.type.name)") }
        var fields = try Fields(info.content, of: .pkcs7)
        guard (1...5).contains(try fields.integer()) else { throw .malformed(.pkcs7) }
        guard try fields.next().identifier == .set else { throw .malformed(.pkcs7) }
        guard try fields.next().identifier == .sequence else { throw .malformed(.pkcs7) }
        guard let set = fields.next(if: tag) else { return [] }
        var elements = try Fields(set, tag, of: .pkcs7)
        var certificates: [[UInt8]] = []
        while let element = elements.nextIfAny() {
            guard element.identifier == .sequence else { continue }
            guard certificates.count < limit else { throw .tooLarge(.elements, limit: limit) }
            certificates.append(Array(element.encodedBytes))
        }
        return certificates
    }

    static func encode(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        try DER.encode(.pkcs7) { serializer in
            try serializer.contentInfo(.signedData) { content in
                try content.appendConstructedNode(identifier: .sequence) { signedData in
                    try signedData.serialize(1)
                    signedData.appendConstructedNode(identifier: .set) { _ in }
                    try signedData.appendConstructedNode(identifier: .sequence) { info in
                        try info.serialize(ASN1ObjectIdentifier.data)
                    }
                    // The order is preserved, although DER would sort a set, because readers take the first certificate
                    // for the leaf.
                    try signedData.appendConstructedNode(identifier: tag) { set in
                        for certificate in certificates { try set.serialize(certificate) }
                    }
                    signedData.appendConstructedNode(identifier: .set) { _ in }
                }
            }
        }
    }

    private static let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}
