// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
import EssentialFoundation
package import SwiftASN1
public import X509

/// An unsigned request for the status of one certificate (RFC 6960 section 4.1, RFC 5019 section 2.1).
public struct OCSPRequest: Hashable, Sendable {
    /// The maximum length of the path component of a GET that caches support (RFC 6960 appendix A.1).
    private static let maximumPathComponentLength = 255

    /// The body of a POST, of type `application/ocsp-request`.
    public let derEncoded: [UInt8]
    /// The nonce, which the response must repeat if it contains a nonce (RFC 9654); `nil` for none.
    public let nonce: [UInt8]?

    /// Makes a request for the status of a certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate whose status is requested.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: A nonce of 1 to 128 random octets, of which RFC 9654 recommends 32; `nil` sends none, so that a
    ///     pre-produced response is accepted.
    /// - Throws: ``RevocationEncodingError/nonceLength(_:)``, and ``RevocationEncodingError/malformed(_:)`` if the
    ///   issuer's key cannot be read.
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

    /// The path component that a GET appends to the responder's URL (RFC 6960 appendix A.1).
    ///
    /// The component is the request in base64, with `+`, `/` and `=` percent-encoded; `nil` if it exceeds 255
    /// characters, so that the request must be a POST.
    public var pathComponent: String? {
        let base64 = Base64.characters(of: derEncoded)
        let component = PercentEncoding.encode(base64, allowing: PercentEncoding.isUnreserved)
        return component.utf8.count <= Self.maximumPathComponentLength ? component : nil
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

/// The identifier of a certificate in OCSP (RFC 6960 section 4.1.1):
/// hashes of the issuer's name and key, and the serial number.
package struct OCSPCertificateID: Hashable, Sendable {
    /// The hash algorithm; SHA-1 is acceptable because it only identifies
    /// the issuer, and RFC 5019 section 2.1.1 allows no other.
    package enum Hash: CaseIterable {
        case sha1
        case sha256
        case sha384
        case sha512

        var identifier: [UInt8] {
            switch self {
            case .sha1: [0x2b, 0x0e, 0x03, 0x02, 0x1a]
            case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            case .sha384: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
            case .sha512: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]
            }
        }

        package var objectIdentifier: ASN1ObjectIdentifier {
            switch self {
            case .sha1: [1, 3, 14, 3, 2, 26]
            case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
            case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
            case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
            }
        }

        package func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        }
    }

    /// The hash algorithm; `nil` if it is unknown.
    let hash: Hash?
    let issuerNameHash: [UInt8]
    let issuerKeyHash: [UInt8]
    let serialNumber: [UInt8]

    init(_ subject: RevocationSubject, hash: Hash) {
        self.hash = hash
        issuerNameHash = hash.digest(subject.issuerName)
        issuerKeyHash = hash.digest(subject.issuerKey)
        serialNumber = Array(subject.serialNumber)
    }

    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        var fields = try reader.open(DERTag.sequence, .certificateID)
        var algorithm = try fields.open(DERTag.sequence, .certificateID)
        let identifier = try algorithm.take(DERTag.objectIdentifier, .certificateID).content
        if let parameters = try algorithm.takeIfPresent(DERTag.null, .certificateID), !parameters.content.isEmpty {
            throw .malformed(.certificateID)
        }
        try algorithm.finish(.certificateID)
        hash = Hash.allCases.first { $0.identifier.elementsEqual(identifier) }
        issuerNameHash = Array(try fields.take(DERTag.octetString, .certificateID).content)
        issuerKeyHash = Array(try fields.take(DERTag.octetString, .certificateID).content)
        serialNumber = Array(try fields.takeInteger(DERTag.integer, .certificateID))
        try fields.finish(.certificateID)
    }

    static func isEqual(_ one: Self, to subject: RevocationSubject) -> Bool {
        one.hash.map { one == OCSPCertificateID(subject, hash: $0) } ?? false
    }

    /// Returns whether an identifier is that of a certificate of the same issuer.
    static func isOfIssuer(_ one: Self, of subject: RevocationSubject) -> Bool {
        guard let own = one.hash.map({ OCSPCertificateID(subject, hash: $0) }) else { return false }
        return one.issuerNameHash == own.issuerNameHash && one.issuerKeyHash == own.issuerKeyHash
    }
}

/// The nonce of a request, which its response repeats (RFC 9654).
enum OCSPNonce {
    static let lengths = 1...128

    /// Reads the nonce from the extension value, which contains an octet string in an octet string.
    static func read(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        var reader = DERReader(value)
        let nonce = try reader.only(DERTag.octetString, .extensions).content
        guard lengths.contains(nonce.count) else { throw .nonceLength(nonce.count) }
        return nonce
    }
}

/// The object identifiers below id-pkix-ocsp, 1.3.6.1.5.5.7.48.1 (RFC 6960 appendix B).
enum OCSPIdentifiers {
    private static let base: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]

    static let basicResponse = base + [1]
    static let nonce = base + [2]
    static let extendedRevoke = base + [9]

    /// Returns whether an encoded identifier, with tag and length, has the given content octets.
    static func isEqual(_ encoded: ArraySlice<UInt8>, _ identifier: [UInt8]) -> Bool {
        encoded.dropFirst(2).elementsEqual(identifier)
    }
}
