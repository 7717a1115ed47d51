// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport

/// An event that a session reports while it works on a request.
///
/// The URLs in the cases are complete, because programs may need them. The description of an event leaves out their secrets, as the log
/// does: the values of parameters whose names look secret, such as `token`, `code`, `key`, `sig` and `X-Amz-Signature`.
public enum SessionEvent: Sendable {
    /// How the session answered a challenge.
    public enum Answer: Sendable {
        /// A handler gave this credential, or a remembered one was used.
        case used(Credential)
        /// The chain satisfied the policy.
        case trusted
        /// There is no handler, or it chose the default.
        case performedDefault
        /// The handler declined this method.
        case rejectedProtectionSpace
        /// The handler cancelled the request.
        case cancelled
        /// The handler gave a credential that the server had already rejected.
        case repeatedRejectedCredential
        /// The request has given as many answers as ``Session/Configuration/handlers`` describes; nothing was sent and no handler asked.
        case limitReached
    }

    /// A connection was opened, and its proxy, TLS and trust are settled.
    case connected(ConnectionReport)
    /// A server, a proxy or a TLS handshake challenged the request. Holds the challenge, and how the session answered it.
    case challenged(Challenge, Answer)
    /// An origin offers no authentication method that is allowed for it (`ServerPolicy.methods`). No credential was sent.
    case methodsNotAllowed(Endpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
    /// A credential was sent before the server asked for it.
    case preempted(ProtectionSpace)
    /// The ``Session/Configuration/credentialStore`` failed. The request continues without it.
    case credentialStoreFailed(ProtectionSpace, any Error)
    /// The session follows a redirect. Holds the URL that redirects and its destination.
    case redirected(from: String, to: String)
    /// An exchange over a connection is complete: the body of its response was read to the end or dropped, or no response arrived.
    case exchanged(ExchangeReport)
    /// A request failed, and is sent again after a wait. Holds its URL, the wait, and the reason.
    case retrying(String, after: Duration, RetryReason)
    /// The session tried to fetch evidence for a decision on trust. Holds the URL of the evidence, and whether it was fetched.
    case fetchedEvidence(String, succeeded: Bool)
    /// Evidence was not fetched, because its URL leads to the local network and the server is not there; see `TrustPolicy.LocalEvidence`.
    /// Holds the URL of the evidence.
    case refusedEvidence(String)
}
