// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities
public import X509

/// A challenge that a session meets while it sends a request: of an HTTP scheme, of the TLS handshake, or of a SOCKS proxy.
public struct Challenge: Sendable {
    /// What the server sent with the challenge.
    public enum Statement: Sendable {
        /// A challenge of an HTTP header field.
        case http(HTTPChallenge)
        /// The chain that a server presented, and the verdict on it.
        case serverTrust(PresentedChain, Verdict)
        /// The server requests a client certificate, which may be optional.
        case clientCertificateRequest(CertificateRequest)
        /// A SOCKS proxy requires a user and a password (RFC 1928 section 3). It names no realm.
        case socksLogin
    }

    /// The protection space: the peer, the realm and the method that the answer is valid for (RFC 9110 section 11.5).
    public let space: ProtectionSpace
    /// The number of answers to this challenge that the server has already rejected for this request.
    public let failureCount: Int
    /// The credential that ``Disposition/performDefault`` would send, or the one that the server rejected last; `nil` where there is none.
    public let proposedCredential: Credential?
    /// The user that the request's URL names, without a password; `nil` where it names none.
    public let proposedUser: String?
    /// What the server sent with the challenge.
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

    /// Returns whether the server has rejected this credential for this request.
    ///
    /// It would reject it again.
    public func hasRejected(_ credential: Credential) -> Bool {
        failureCount > 0 && proposedCredential?.kind == credential.kind
    }
}

/// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
public struct CertificateRequest: Hashable, Sendable {
    /// The names of roots or intermediates that the certificate may lead to, in the server's order.
    ///
    /// Empty where the server named none, so that every issuer is acceptable; `nil` where the names are not known, as in a renegotiation of
    /// TLS 1.2.
    public let acceptableIssuers: [DistinguishedName]?

    /// Makes a request from the names of issuers, in the server's order; `nil` where they are not known.
    public init(acceptableIssuers: [DistinguishedName]?) {
        self.acceptableIssuers = acceptableIssuers
    }

    /// Returns whether a certificate of an identity's chain was issued by one of the acceptable issuers.
    ///
    /// Names are compared without regard to case, to superfluous spaces, and to how text is encoded (RFC 5280 section 7.1).
    /// A server may accept an identity all the same if its chain leaves out an intermediate that the server has.
    ///
    /// - Returns: `true` also where the server named no issuers, and where the names are not known.
    public func isMet(by identity: Identity) -> Bool {
        guard let acceptableIssuers, !acceptableIssuers.isEmpty else { return true }
        let issuers = Set(identity.chain.map { NameKey($0.issuer) })
        return acceptableIssuers.contains { issuers.contains(NameKey($0)) }
    }
}
