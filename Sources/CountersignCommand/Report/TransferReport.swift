// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Countersign

/// What `get --json` prints, and every other command that sends a request.
struct TransferReport: Encodable {
    let method: String
    let url: String
    let status: Int
    /// In the order sent.
    let fields: [FieldReport]
    /// How long the body was, as far as it was read.
    let bytes: Int
    let output: String?
    let proxy: String?
    let tls: TLSReport?
    let challenges: [ChallengeReport]
    /// What the status says, where it is no success.
    let error: FailureReport.Contents?
}

struct FieldReport: Encodable {
    let name: String
    let value: String
}

struct TLSReport: Encodable, Sendable {
    let version: String
    let cipherSuite: String
    let chain: [CertificateSummary]
    let verdict: Verdict

    init(_ tls: ConnectionReport.TLS) {
        version = tls.version
        cipherSuite = tls.cipherSuite
        chain = ([tls.chain.leaf] + tls.chain.issuers).map(CertificateSummary.init)
        verdict = tls.verdict
    }
}

struct ChallengeReport: Encodable, Sendable {
    let method: String
    let from: String
    let isProxy: Bool
    let realm: String?
    let failures: Int
    let answer: String

    init(_ challenge: Challenge, _ answer: SessionEvent.Answer) {
        method = challenge.space.method.description
        from = "\(challenge.space.host):\(challenge.space.port)"
        isProxy = challenge.space.role == .proxy
        realm = challenge.space.realm
        failures = challenge.failureCount
        self.answer = answer.text
    }
}

/// What every command prints with `--json` when it fails.
struct FailureReport: Encodable {
    struct Contents: Encodable {
        let code: String
        let message: String
        let advice: String
        /// Where the server is not trusted.
        let verdict: Verdict?
        /// Where a policy file is at fault.
        let place: PlaceReport?
    }

    let error: Contents
    /// Of a request: what was asked for, and what had been found out by then.
    let url: String?
    let tls: TLSReport?
    let challenges: [ChallengeReport]?

    init(_ failure: Failure, under circumstances: Circumstances? = nil) {
        url = circumstances?.url
        tls = circumstances?.tls
        challenges = circumstances?.challenges
        error = Contents(
            code: failure.code, message: failure.message, advice: failure.advice, verdict: failure.verdict,
            place: failure.place.map(PlaceReport.init))
    }
}

/// What was known of a request when it failed.
struct Circumstances: Sendable {
    /// Without its user.
    let url: String
    let tls: TLSReport?
    let challenges: [ChallengeReport]

    init(url: String, _ log: EventLog) {
        self.url = url
        tls = log.connection?.tls.map(TLSReport.init)
        challenges = log.challenges.map { ChallengeReport($0, $1) }
    }
}

extension SessionEvent.Answer {
    /// In a word or two.
    var text: String {
        switch self {
        case .used(let credential):
            switch credential.kind {
            case .password(let user, _): "password of \(user.printable)"
            case .currentUser: "tickets of the current user"
            case .token: "token"
            case .identity: "identity"
            case .serverTrust: "accepted"
            }
        case .trusted: "trusted"
        case .performedDefault: "not answered"
        case .rejectedProtectionSpace: "declined"
        case .cancelled: "cancelled"
        case .repeatedRejectedCredential: "nothing new"
        }
    }
}

extension ConnectionReport.HTTPVersion {
    /// As it stands in a status line.
    var text: String { self == .http2 ? "HTTP/2" : "HTTP/1.1" }
}
