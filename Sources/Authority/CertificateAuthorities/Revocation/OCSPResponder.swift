// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Crypto
public import EssentialFoundation
public import Identities
internal import SwiftASN1
public import X509

/// An OCSP responder for an authority's certificates (RFC 6960), which signs with the authority's key or a
/// delegated one.
///
/// The responder has no sockets: a server passes it the bytes of a request and sends the bytes of the response.
public struct OCSPResponder: Sendable {
    /// The status of a certificate.
    public enum Status: Hashable, Sendable {
        /// The authority issued the certificate and has not revoked it.
        case good
        /// The authority has revoked the certificate.
        case revoked(RevokedCertificate)
        /// The authority did not issue the certificate.
        case unknown
    }

    /// The signing key and its certificate.
    public let identity: Identity

    /// Whether the key is a delegated one, so that each response must contain the responder's certificate.
    private let isDelegated: Bool
    private let keyHash: [UInt8]
    private let issuers: [OCSPCertificateID.Hash: OCSPIssuer]

    /// Creates a responder for an authority.
    ///
    /// - Parameters:
    ///   - identity: The authority's identity, or a delegated one from
    ///     ``CertificateAuthority/issueResponder(validity:now:)``.
    ///   - authority: The authority's certificate.
    /// - Throws: The errors of SwiftASN1 if the authority's name cannot be encoded.
    public init(_ identity: Identity, for authority: Certificate) throws {
        self.identity = identity
        isDelegated = identity.certificate != authority
        keyHash = try identity.certificate.hashOfKey(.sha1)
        var issuers: [OCSPCertificateID.Hash: OCSPIssuer] = [:]
        for hash in OCSPCertificateID.Hash.allCases { issuers[hash] = try OCSPIssuer(authority, hash) }
        self.issuers = issuers
    }

    /// Responds to a request.
    ///
    /// - Parameters:
    ///   - request: The body of the request, in DER. A request with more than 8,192 bytes or 16 certificates is
    ///     malformed.
    ///   - lifetime: The validity of the response in seconds, a day by default. It is limited to the validity of the
    ///     responder's certificate.
    ///   - now: The time of the response.
    ///   - status: Returns the status of a certificate of this authority by its serial number.
    /// - Returns: The response in DER. It contains the statuses or an error (RFC 6960 section 2.3). The error for a
    ///   certificate of another authority is unauthorized.
    /// - Throws: The error of the closure, and the error of the signing key.
    public func respond(
        to request: some Collection<UInt8>, lifetime: TimeInterval = 86_400, now: Date,
        status: (Certificate.SerialNumber) async throws -> Status
    ) async throws -> [UInt8] {
        guard let request = OCSPRequest(Array(request)) else { return OCSPErrorStatus.malformedRequest.encoded }
        // Other responders answer for the certificates of other authorities.
        guard request.identifiers.allSatisfy(isOurs) else { return OCSPErrorStatus.unauthorized.encoded }
        let end = min(now + lifetime, identity.certificate.notValidAfter)
        guard end > now else { return OCSPErrorStatus.tryLater.encoded }
        var answers: [(OCSPRequest.Identifier, Status)] = []
        for identifier in request.identifiers {
            answers.append((identifier, try await status(Certificate.SerialNumber(bytes: identifier.serialNumber))))
        }
        return try encode(answers, nonce: request.nonce, from: now, until: end)
    }

    /// Returns whether a cached response may answer a request with the same bytes, which requires that it has no nonce
    /// (RFC 9654).
    package static func mayRepeatAnswer(to request: some Collection<UInt8>) -> Bool {
        OCSPRequest(Array(request)).map { $0.nonce == nil } ?? false
    }

    /// Returns whether a response is an error without statuses.
    package static func isRefusal(_ response: [UInt8]) -> Bool {
        OCSPErrorStatus.allCases.contains { $0.encoded == response }
    }

    private func isOurs(_ identifier: OCSPRequest.Identifier) -> Bool {
        guard let hash = identifier.hash, let issuer = issuers[hash] else { return false }
        return issuer.nameHash == identifier.nameHash && issuer.keyHash == identifier.keyHash
    }

    private func encode(
        _ answers: [(OCSPRequest.Identifier, Status)], nonce: [UInt8]?, from now: Date, until end: Date
    ) throws -> [UInt8] {
        var data = DER.Serializer()
        try data.appendConstructedNode(identifier: .sequence) { fields in
            try fields.explicit(2) { try $0.serialize(ASN1OctetString(contentBytes: keyHash[...])) }
            fields.generalizedTime(now)
            try fields.appendConstructedNode(identifier: .sequence) { responses in
                for (identifier, status) in answers {
                    try responses.appendConstructedNode(identifier: .sequence) { response in
                        response.serializeRawBytes(identifier.encoded)
                        try response.status(status)
                        response.generalizedTime(now)
                        try response.explicit(0) { $0.generalizedTime(end) }
                    }
                }
            }
            guard let nonce else { return }
            try fields.explicit(1) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { extensions in
                    try extensions.certificateExtension(
                        .init(oid: OCSPRequest.nonce, critical: false, value: nonce[...]))
                }
            }
        }
        let certificate = isDelegated ? identity.certificate : nil
        let basic = try DER.signed(data.serializedBytes, by: identity.privateKey) { parts in
            guard let certificate else { return }
            try parts.explicit(0) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { try $0.serialize(certificate) }
            }
        }
        var response = DER.Serializer()
        try response.appendConstructedNode(identifier: .sequence) { parts in
            parts.enumerated(0)
            try parts.explicit(0) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { bytes in
                    try bytes.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                    try bytes.serialize(ASN1OctetString(contentBytes: basic[...]))
                }
            }
        }
        return response.serializedBytes
    }
}

/// The hashes by which requests identify an authority.
private struct OCSPIssuer: Hashable {
    let nameHash: [UInt8]
    let keyHash: [UInt8]

    init(_ authority: Certificate, _ hash: OCSPCertificateID.Hash) throws {
        var name = DER.Serializer()
        try name.serialize(authority.subject)
        nameHash = hash.digest(name.serializedBytes[...])
        keyHash = try authority.hashOfKey(hash)
    }
}

extension Certificate {
    /// Returns the hash of the key without its algorithm.
    fileprivate func hashOfKey(_ hash: OCSPCertificateID.Hash) throws -> [UInt8] {
        hash.digest(publicKey.subjectPublicKeyInfoBytes)
    }
}

/// The error statuses of OCSP responses (RFC 6960 section 2.3).
private enum OCSPErrorStatus: UInt8, CaseIterable {
    case malformedRequest = 1
    case tryLater = 3
    case unauthorized = 6

    var encoded: [UInt8] { [0x30, 3, 0x0a, 1, rawValue] }
}

extension DER.Serializer {
    fileprivate mutating func status(_ status: OCSPResponder.Status) throws {
        let tag = { ASN1Identifier(tagWithNumber: $0, tagClass: .contextSpecific) }
        switch status {
        case .good: appendPrimitiveNode(identifier: tag(0)) { _ in }
        case .revoked(let revoked):
            try appendConstructedNode(identifier: tag(1)) { fields in
                fields.generalizedTime(revoked.date)
                guard revoked.reason != .unspecified else { return }
                try fields.explicit(0) { $0.enumerated(revoked.reason.code) }
            }
        case .unknown: appendPrimitiveNode(identifier: tag(2)) { _ in }
        }
    }
}

extension CertificateAuthority {
    /// Creates a responder with a separate key and certificate, which signs on behalf of the authority (RFC 6960
    /// section 4.2.2.2).
    ///
    /// - Parameters:
    ///   - validity: The validity period of the responder's certificate. It should be short, because the certificate
    ///     cannot be revoked.
    ///   - now: The time of issue.
    /// - Returns: The responder, with a new P-256 key.
    /// - Throws: ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)`` or
    ///   ``CertificateAuthorityError/unsupportedKey``.
    public func issueResponder(validity: Validity = .days(7), now: Date) throws -> OCSPResponder {
        let key = try KeyType.p256.makeKey()
        let certificate = try CertificateTemplate(responderFor: certificate.subject).certificate(
            for: key.publicKey, from: identity, validity: validity, publication: publication, now: now)
        return try OCSPResponder(Identity(chain: [certificate], privateKey: key), for: self.certificate)
    }
}
