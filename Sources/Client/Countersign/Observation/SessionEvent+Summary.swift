// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import HTTPTypes

extension SessionEvent {
    /// One line for the log.
    var summary: String {
        switch self {
        case .connected(let report):
            "connected to \(report.endpoint) \(report.tls.map { "\($0.version) \($0.cipherSuite)" } ?? "without TLS")"
        case .challenged(let challenge, let answer):
            "\(challenge.space.host):\(challenge.space.port) asked for \(challenge.space.method), failures \(challenge.failureCount): \(answer.summary)"
        case .methodsNotAllowed(let endpoint, let offered, let allowed):
            "\(endpoint) offers \(offered.map(\.description).joined(separator: ", ").printable), and \(allowed) is allowed"
        case .preempted(let space):
            "sent \(space.method) to \(space.host):\(space.port) before it asked"
        case .credentialStoreFailed(let space, _):
            "the credential store failed for \(space.method) of \(space.host):\(space.port)"
        case .redirected(let origin, let destination):
            "redirected from \(Redaction.url(origin)) to \(Redaction.url(destination))"
        case .exchanged(let report):
            report.description.printable
        case .retrying(let url, let wait, let reason):
            "\(Redaction.url(url)) \(reason.summary); sending it again in \(wait)"
        case .fetchedEvidence(let place, let succeeded):
            "\(succeeded ? "fetched" : "could not fetch") \(Redaction.url(place).printable) to decide on trust"
        case .refusedEvidence(let place):
            "did not fetch \(Redaction.url(place).printable), which is in the local network and the server is not"
        }
    }
}

/// The cases hold complete URLs. The description leaves their secrets out.
extension SessionEvent: CustomStringConvertible, CustomReflectable {
    /// The name of the case and a line about it, without secrets.
    public var description: String { "\(subject.kind): \(summary)" }

    /// Shows the description alone, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
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
        case .limitReached: "the request has given as many answers as it may"
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
