// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
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

    private enum Key: String, CodingKey {
        case method, url, status, fields, bytes, output, proxy, tls, challenges, certificates, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(status, forKey: .status)
        try container.encode(fields, forKey: .fields)
        try container.encode(bytes, forKey: .bytes)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encodeIfPresent(proxy, forKey: .proxy)
        try container.encodeIfPresent(tls, forKey: .tls)
        try container.encode(challenges, forKey: .challenges)
        try container.encodeIfPresent(tls?.certificates.all, forKey: .certificates)
        try container.encodeIfPresent(error?.about(url), forKey: .error)
    }
}

struct FieldReport: Encodable {
    let name: String
    let value: String
}

struct TLSReport: Encodable, Sendable {
    private let version: String
    private let cipherSuite: String
    /// As presented, leaf first.
    private let chain: [CertificateSummary]
    private let verdict: Verdict

    init(_ tls: ConnectionReport.TLS) {
        version = tls.version
        cipherSuite = tls.cipherSuite
        chain = ([tls.chain.leaf] + tls.chain.issuers).map(CertificateSummary.init)
        verdict = tls.verdict
    }

    /// The certificates that the report refers to by their fingerprints.
    var certificates: CertificateList {
        var list = CertificateList(chain)
        list.add(verdict.certificates.all)
        return list
    }

    private enum Key: String, CodingKey {
        case version, cipherSuite, chain, verdict
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(version, forKey: .version)
        try container.encode(cipherSuite, forKey: .cipherSuite)
        try container.encode(chain.map(\.fingerprint), forKey: .chain)
        try container.encode(VerdictRecord(verdict), forKey: .verdict)
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
        case .limitReached: "not answered: too many answers for one request"
        }
    }
}

extension ConnectionReport.HTTPVersion {
    /// As it stands in a status line.
    var text: String { self == .http2 ? "HTTP/2" : "HTTP/1.1" }
}
