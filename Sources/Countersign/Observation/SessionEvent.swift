// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport

/// What a session reports while it works on a request.
///
/// The URLs in the cases are whole, because programs may need them. The description of an event leaves out their secrets, as the log does:
/// the values of parameters whose names look secret, such as `token`, `code`, `key`, `sig` and `X-Amz-Signature`.
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
        case cancelled
        /// The handler gave a credential that the server had already rejected.
        case repeatedRejectedCredential
        /// The request has given as many answers as ``Session/Configuration/handlers`` describes; nothing was sent and no handler asked.
        case limitReached
    }

    case connected(ConnectionReport)
    case challenged(Challenge, Answer)
    /// An origin offers no authentication method that is allowed for it (`ServerPolicy.methods`); it was given nothing.
    case methodsNotAllowed(Endpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
    /// A credential was sent before it was asked for.
    case preempted(ProtectionSpace)
    /// The ``Session/Configuration/credentialStore`` failed; the request went on without it.
    case credentialStoreFailed(ProtectionSpace, any Error)
    case redirected(from: String, to: String)
    /// A request was answered, or came to nothing once it had a connection; with every body that is over.
    case exchanged(ExchangeReport)
    /// The request to this URL failed, and is sent again after a wait.
    case retrying(String, after: Duration, RetryReason)
    /// Something was fetched to decide on trust, or could not be. Holds the URL that names its place.
    case fetchedEvidence(String, succeeded: Bool)
    /// Evidence lies in the local network and was not fetched, see `TrustPolicy.LocalEvidence`. Holds the URL that names its place.
    case refusedEvidence(String)
}
