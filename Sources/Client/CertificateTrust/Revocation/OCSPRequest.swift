// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request for the status of one certificate, not signed (RFC 6960 section 4.1, RFC 5019 section 2.1).
public struct OCSPRequest: Hashable, Sendable {
    /// Up to here, the whole path of a GET fits into caches (RFC 6960 appendix A.1).
    private static let longestPathComponent = 255

    /// The body of a POST, of type `application/ocsp-request`.
    public let derEncoded: [UInt8]
    /// The nonce, which the response must repeat if it has one (RFC 9654); `nil` for none.
    public let nonce: [UInt8]?

    /// Asks about a certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: 1 to 128 random octets, of which RFC 9654 recommends 32; `nil` sends none, so that a response made beforehand is
    ///     accepted.
    /// - Throws: ``RevocationEncodingError/nonceLength(_:)``, and ``RevocationEncodingError/malformed(_:)`` where the issuer's key cannot
    ///   be read.
    public init(
        for certificate: Certificate, issuer: Certificate, nonce: [UInt8]? = nil
    ) throws(RevocationEncodingError) {
        try self.init(for: ParsedCertificate(certificate), issuer: ParsedCertificate(issuer), nonce: nonce)
    }

    init(
        for certificate: ParsedCertificate, issuer: ParsedCertificate, nonce: [UInt8]?
    ) throws(RevocationEncodingError) {
        if let nonce, !OCSPNonce.lengths.contains(nonce.count) { throw .nonceLength(nonce.count) }
        self.nonce = nonce
        let subject = try RevocationSubject(certificate, issuer: issuer)
        derEncoded = Self.encode(OCSPCertificateID(subject, hash: .sha1), nonce: nonce)
    }

    /// The text that a GET appends to the responder's URL, after a slash (RFC 6960 appendix A.1).
    ///
    /// It is the request in base64, in which `+`, `/` and `=` are percent-encoded; `nil` where it exceeds 255 characters, so that the
    /// request has to be a POST.
    public var pathComponent: String? {
        let component = Data(derEncoded).base64EncodedString()
            .replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        return component.utf8.count <= Self.longestPathComponent ? component : nil
    }

    private static func encode(_ identifier: OCSPCertificateID, nonce: [UInt8]?) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { request in
            request.appendConstructedNode(identifier: .sequence) { toBeSigned in
                toBeSigned.appendConstructedNode(identifier: .sequence) { list in
                    list.appendConstructedNode(identifier: .sequence) { identifier.serialize(into: &$0) }
                }
                guard let nonce else { return }
                toBeSigned.appendConstructedNode(identifier: .init(tagWithNumber: 2, tagClass: .contextSpecific)) {
                    $0.appendConstructedNode(identifier: .sequence) { serialize(nonce, into: &$0) }
                }
            }
        }
        return serializer.serializedBytes
    }

    private static func serialize(_ nonce: [UInt8], into serializer: inout DER.Serializer) {
        serializer.appendConstructedNode(identifier: .sequence) { fields in
            fields.append(.objectIdentifier, OCSPIdentifiers.nonce)
            fields.appendPrimitiveNode(identifier: .octetString) { value in
                var inner = DER.Serializer()
                inner.append(.octetString, nonce)
                value += inner.serializedBytes
            }
        }
    }
}

extension OCSPCertificateID {
    fileprivate func serialize(into serializer: inout DER.Serializer) {
        serializer.appendConstructedNode(identifier: .sequence) { fields in
            fields.appendConstructedNode(identifier: .sequence) { algorithm in
                algorithm.append(.objectIdentifier, hash?.identifier ?? [])
                algorithm.append(.null, [])
            }
            fields.append(.octetString, issuerNameHash)
            fields.append(.octetString, issuerKeyHash)
            fields.append(.integer, serialNumber)
        }
    }
}

extension DER.Serializer {
    fileprivate mutating func append(_ identifier: ASN1Identifier, _ content: [UInt8]) {
        appendPrimitiveNode(identifier: identifier) { $0 += content }
    }
}
