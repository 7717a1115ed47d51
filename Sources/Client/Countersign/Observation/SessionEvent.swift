// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import ErrorExplanations
public import HTTPTransport
public import HTTPTypes

/// An event that a session reports while it processes a request.
///
/// The URLs of a ``Kind`` are complete, because programs may need them. The description of an event omits their secrets,
/// as the log does: the values of parameters whose names look secret, such as `token`, `code`, `key`, `sig` and
/// `X-Amz-Signature`.
public struct SessionEvent: Sendable {
    /// The identifier of the request, which all its events share, including those of its redirects and retries; that of
    /// ``SessionRequest/identifier``, or a new one.
    ///
    /// The events of a connection have the identifier of the request that opened it; later requests may use the
    /// connection too. Each call of ``HTTPSession/inspect(_:)`` has its identifier, too.
    public let requestIdentifier: RequestIdentifier
    /// The number of the attempt at the request, from 1; each redirect and each retry begins another attempt.
    public let attempt: Int
    /// The event itself.
    public let kind: Kind

    /// The session's answer to a challenge.
    @nonexhaustive
    public enum Answer: Sendable {
        /// A credential from a handler, or a remembered one, was used.
        case used(Credential)
        /// The chain satisfied the policy.
        case trusted
        /// There is no handler, or the handler chose the default.
        case performedDefault
        /// The handler declined this method, or ``HTTPSession/Configuration/serverTrustDecision`` refused the server.
        case rejectedProtectionSpace
        /// The handler cancelled the request.
        case cancelled
        /// The handler returned a credential that the server had already rejected.
        case repeatedRejectedCredential
        /// The limit of answers was reached (see ``HTTPSession/Configuration/handlers``); no answer was sent and no handler
        /// was asked.
        case limitReached
    }

    /// The kind of an event, with its facts.
    @nonexhaustive
    public enum Kind: Sendable {
        /// A connection was opened, including its proxy, TLS and trust.
        case connected(ConnectionReport)
        /// A server, a proxy or a TLS handshake challenged the request. Holds the challenge, and the session's answer.
        case challenged(Challenge, Answer)
        /// An origin offers no authentication method that its policy allows (`ServerPolicy.methods`). No credential was
        /// sent.
        case methodsNotAllowed(HostEndpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
        /// A challenge was not answered. Holds the origin or the proxy, the scheme (`nil` if it cannot be read), and the
        /// reason.
        ///
        /// A request reports equal challenges once.
        case notAnswered(SessionError.Peer, AuthenticationMethod?, UnansweredReason)
        /// A credential was sent preemptively, before a challenge.
        case preempted(ProtectionSpace)
        /// The ``HTTPSession/Configuration/credentialStore`` failed. The request continues without it.
        case credentialStoreFailed(ProtectionSpace, any Error)
        /// The session follows a redirect. Holds the URL that redirects and its destination.
        case redirected(from: String, to: String)
        /// A request is about to be sent over a connection, with its credential. Holds its head. The log contains the
        /// ``exchanged(_:)`` of the request instead.
        case sending(RequestHead)
        /// The head of a response was received. The log contains the ``exchanged(_:)`` of the request instead.
        case received(ResponseHead)
        /// An exchange over a connection is complete: the body of its response was read to the end or dropped, or no
        /// response arrived.
        case exchanged(ExchangeReport)
        /// A request failed, and is sent again after a delay. Holds its URL, the delay, and the reason.
        case retrying(String, after: Duration, RetryReason)
        /// The session tried to fetch evidence for a trust decision. Holds the URL of the evidence, and the reason why
        /// nothing was fetched; `nil` if the evidence was fetched.
        case fetchedEvidence(String, problem: RevocationProblem?)
        /// Evidence was not fetched, because its URL leads to the local network and the server is not in that network; see
        /// `TrustPolicy.LocalEvidence`. Holds the URL of the evidence.
        case refusedEvidence(String)
        /// The request failed without a response for the caller. Holds its first URL, and the error.
        case failed(String, any Error)
    }
}

/// The reason for which a request is sent again.
@nonexhaustive
public enum RetryReason: Sendable {
    /// The server responded with this status.
    case status(HTTPResponse.Status)
    /// The request failed without a response.
    case failure(SessionError)
}

extension SessionEvent.Kind {
    /// The event as one line for the log.
    var summary: String {
        switch self {
        case .connected(let report):
            "connected to \(report.endpoint) \(report.tls.map { "\($0.version) \($0.cipherSuite)\($0.isResumed ? " resumed" : "")" } ?? "without TLS")"
        case .challenged(let challenge, let answer):
            "\(challenge.space.host):\(challenge.space.port) asked for \(challenge.space.method), failures \(challenge.failureCount): \(answer.summary)"
        case .methodsNotAllowed(let endpoint, let offered, let allowed):
            "\(endpoint) offers \(offered.map(\.description).joined(separator: ", ").printable), and \(allowed) is allowed"
        case .notAnswered(let peer, let method, let reason):
            "\(peer) asked for \((method?.description ?? "an unknown scheme").printable), not answered: \(reason.clause)"
        case .preempted(let space):
            "sent \(space.method) preemptively to \(space.host):\(space.port)"
        case .credentialStoreFailed(let space, _):
            "the credential store failed for \(space.method) of \(space.host):\(space.port)"
        case .redirected(let origin, let destination):
            "redirected from \(Redaction.url(origin)) to \(Redaction.url(destination))"
        case .sending(let head):
            "sending \(head)".printable
        case .received(let head):
            "received \(head)".printable
        case .exchanged(let report):
            report.description.printable
        case .retrying(let url, let wait, let reason):
            "\(Redaction.url(url)) \(reason.summary); sending it again in \(wait.text)"
        case .fetchedEvidence(let place, let problem):
            "\(problem == nil ? "fetched" : "could not fetch") \(Redaction.url(place).printable) to decide on trust"
                + (problem.map { " (\($0.code))" } ?? "")
        case .refusedEvidence(let place):
            "did not fetch \(Redaction.url(place).printable), which is in the local network and the server is not"
        case .failed(let url, let error):
            "\(Redaction.url(url)) failed (\(ErrorExplanation.code(of: error)))"
        }
    }
}

/// A description that omits the secrets of the complete URLs in the cases.
extension SessionEvent: CustomStringConvertible, CustomReflectable {
    /// The identifier of the request, the attempt, the name of the kind and a line about it, without secrets.
    public var description: String { "\(requestIdentifier) \(attempt) \(kind)" }

    /// A mirror that shows only the description, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

/// A description that omits the secrets of the complete URLs in the cases.
extension SessionEvent.Kind: CustomStringConvertible, CustomReflectable {
    /// The name of the case and a line about it, without secrets.
    public var description: String { "\(subject.name): \(summary)" }

    /// A mirror that shows only the description, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}

extension SessionEvent.Answer {
    fileprivate var summary: String {
        switch self {
        case .used: "used a credential"
        case .trusted: "trusted"
        case .performedDefault: "performed the default"
        case .rejectedProtectionSpace: "rejected the protection space"
        case .cancelled: "cancelled"
        case .repeatedRejectedCredential: "the credential was already rejected"
        case .limitReached: "the request has reached its limit of answers"
        }
    }
}

extension RetryReason {
    fileprivate var summary: String {
        switch self {
        case .status(let status): "was answered with \(status.code)"
        case .failure(let error): "failed (\(error.code))"
        }
    }
}

extension SessionEvent.Kind {
    /// The subject of the event's log line, for throttling.
    var subject: LogThrottle.Subject {
        switch self {
        case .connected(let report): .init(name: "connected", host: "\(report.endpoint.host)")
        case .challenged(let challenge, _): .init(name: "challenged", host: "\(challenge.space.host)")
        case .methodsNotAllowed(let endpoint, _, _): .init(name: "methodsNotAllowed", host: "\(endpoint.host)")
        case .notAnswered(let peer, _, _): .init(name: "notAnswered", host: "\(peer.host)")
        case .preempted(let space): .init(name: "preempted", host: "\(space.host)")
        case .credentialStoreFailed(let space, _): .init(name: "credentialStoreFailed", host: "\(space.host)")
        case .redirected(let origin, _): .init(name: "redirected", host: origin.authority)
        case .sending(let head): .init(name: "sending", host: head.authority)
        case .received: .init(name: "received", host: "")
        case .exchanged(let report):
            .init(name: "exchanged", host: "\(report.connection.endpoint.host)")
        case .retrying(let url, _, _): .init(name: "retrying", host: url.authority)
        case .fetchedEvidence(let place, _): .init(name: "fetchedEvidence", host: place.authority)
        case .refusedEvidence(let place): .init(name: "refusedEvidence", host: place.authority)
        case .failed(let url, _): .init(name: "failed", host: url.authority)
        }
    }
}

extension String {
    /// The text between `//` and the path of a URL; the complete text if there is none.
    fileprivate var authority: String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        return String(self[start...].prefix { !"/?#".contains($0) })
    }
}
