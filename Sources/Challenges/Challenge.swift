// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A question that stands between a request and its resource.
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

    /// The protection space: where the answer will be valid.
    public let space: ProtectionSpace
    /// How many answers to this challenge the server has already rejected for this request.
    public let failureCount: Int
    /// The credential that the default would send: a remembered one, or the one that was rejected last.
    public let proposedCredential: Credential?
    /// The user that the request's URL names, without a password; `nil` where it names none.
    public let proposedUser: String?
    /// What the server sent with the challenge.
    public let statement: Statement

    /// A challenge, as a session puts it to a handler.
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

    /// Whether the server has rejected this very answer; it would do so again.
    public func hasRejected(_ credential: Credential) -> Bool {
        failureCount > 0 && proposedCredential?.kind == credential.kind
    }
}
