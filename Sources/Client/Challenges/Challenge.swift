// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities
public import X509

/// A challenge to a session while it sends a request: from an HTTP scheme, the TLS handshake, or a SOCKS proxy.
public struct Challenge: Sendable {
    /// The content of a challenge.
    @nonexhaustive
    public enum Statement: Sendable {
        /// A challenge in an HTTP header field.
        case http(HTTPChallenge)
        /// The chain that a server presented, and the verdict of its evaluation.
        case serverTrust(PresentedChain, Verdict)
        /// The server requests a client certificate, which may be optional.
        case clientCertificateRequest(ClientCertificateRequest)
        /// A SOCKS proxy requires a user and a password (RFC 1928 section 3), without a realm.
        case socksLogin
    }

    /// The protection space: the peer, the realm and the method for which the answer is valid (RFC 9110 section 11.5).
    public let space: ProtectionSpace
    /// The number of answers to this challenge that the server has already rejected for this request.
    public let failureCount: Int
    /// The credential that ``Disposition/performDefault`` would send, or the one that the server rejected last; `nil`
    /// if there is none.
    public let proposedCredential: Credential?
    /// The credentials that the server has rejected for this request, in order.
    package var rejectedCredentials: [Credential] = []
    /// The user in the request's URL, without a password; `nil` if the URL contains none.
    public let proposedUser: String?
    /// The content of the challenge.
    public let statement: Statement

    /// Makes a challenge, as a session passes it to a handler.
    public init(
        space: ProtectionSpace, failureCount: Int = 0, proposedCredential: Credential? = nil,
        proposedUser: String? = nil, statement: Statement
    ) {
        self.space = space
        self.failureCount = failureCount
        self.proposedCredential = proposedCredential
        self.proposedUser = proposedUser
        self.statement = statement
    }

    /// Returns whether the server has rejected this credential for this request, so that it would reject it again.
    public func hasRejected(_ credential: Credential) -> Bool {
        failureCount > 0
            && (proposedCredential?.kind == credential.kind
                || rejectedCredentials.contains { $0.kind == credential.kind })
    }
}

/// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
public struct ClientCertificateRequest: Hashable, Sendable {
    /// The names of acceptable root or intermediate issuers, in the server's order.
    ///
    /// Empty if the server named none, so that every issuer is acceptable; `nil` if the names are unknown, as in a TLS
    /// 1.2 renegotiation.
    public let acceptableIssuers: [DistinguishedName]?
    /// The algorithms with which the client may sign, in the server's order; `nil` if they are unknown.
    public let signatureSchemes: [TLSSignatureScheme]?
    /// Whether the request belongs to TLS 1.3, in which the algorithms have another meaning than before.
    package var isTLS13 = true

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - acceptableIssuers: The names of issuers, in the server's order; `nil` if they are unknown.
    ///   - signatureSchemes: The algorithms of TLS 1.3 with which the client may sign, in the server's order; `nil` if
    ///     they are unknown.
    public init(acceptableIssuers: [DistinguishedName]?, signatureSchemes: [TLSSignatureScheme]? = nil) {
        self.acceptableIssuers = acceptableIssuers
        self.signatureSchemes = signatureSchemes
    }

    /// Returns whether a certificate of an identity's chain was issued by one of the acceptable issuers, and whether its
    /// key can sign with one of the algorithms.
    ///
    /// Names are compared without regard to case, redundant spaces and the text encoding (RFC 5280 section 7.1). Even
    /// if the result is `false`, a server may accept an identity whose chain omits an intermediate that the server has.
    ///
    /// - Returns: Whether an issuer and an algorithm match; names or algorithms that the server omitted, or that are
    ///   unknown, match every identity.
    public func isMet(by identity: Identity) -> Bool { mismatch(of: identity) == nil }

    /// Returns whether the key of an identity can sign with one of the algorithms; unknown algorithms match every key.
    package func isMet(by identity: EncodedIdentity) -> Bool {
        guard let signatureSchemes, !signatureSchemes.isEmpty else { return true }
        return identity.canSign(with: signatureSchemes, isTLS13: isTLS13)
    }

    /// Returns the reason for which an identity does not meet the request; `nil` if it does.
    package func mismatch(of identity: Identity) -> Mismatch? {
        if let acceptableIssuers, !acceptableIssuers.isEmpty {
            let issuers = Set(identity.chain.map { NameKey($0.issuer) })
            guard acceptableIssuers.contains(where: { issuers.contains(NameKey($0)) }) else { return .issuer }
        }
        guard let signatureSchemes, !signatureSchemes.isEmpty else { return nil }
        return identity.canSign(with: signatureSchemes, isTLS13: isTLS13) ? nil : .algorithm
    }

    /// The part of a request that an identity does not meet.
    package enum Mismatch: Sendable {
        /// The server names other issuers.
        case issuer
        /// The key can sign with none of the server's algorithms.
        case algorithm
    }
}
