// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Challenges
package import Countersign
import ErrorExplanations

/// What was known of a request when it failed.
package struct Circumstances: Sendable {
    /// Without its user.
    package let url: String
    package let tls: TLSReport?
    package let challenges: [ChallengeReport]

    package init(url: String, tls: TLSReport?, challenges: [ChallengeReport]) {
        (self.url, self.tls, self.challenges) = (url, tls, challenges)
    }
}

/// The security of a connection.
package struct TLSReport: Encodable, Sendable {
    private let version: String
    private let cipherSuite: String
    /// As presented, leaf first.
    private let chain: [CertificateSummary]
    private let verdict: Verdict

    package init(_ tls: ConnectionReport.TLS) {
        version = tls.version
        cipherSuite = tls.cipherSuite
        chain = [tls.chain.leaf] + tls.chain.issuers
        verdict = tls.verdict
    }

    /// The certificates that the report refers to by their fingerprints.
    package var certificates: CertificateList {
        var list = CertificateList(chain)
        list.add(verdict.certificates.all)
        return list
    }

    private enum Key: String, CodingKey {
        case version, cipherSuite, chain, verdict
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(version, forKey: .version)
        try container.encode(cipherSuite, forKey: .cipherSuite)
        try container.encode(chain.map(\.fingerprint), forKey: .chain)
        try container.encode(VerdictRecord(verdict), forKey: .verdict)
    }
}

/// A challenge, and what was answered.
package struct ChallengeReport: Encodable, Sendable {
    package let method: String
    package let from: String
    package let isProxy: Bool
    package let realm: String?
    package let failures: Int
    package let answer: String

    package init(_ challenge: Challenge, _ answer: SessionEvent.Answer) {
        method = challenge.space.method.description
        from = "\(challenge.space.host):\(challenge.space.port)"
        isProxy = challenge.space.role == .proxy
        realm = challenge.space.realm
        failures = challenge.failureCount
        self.answer = answer.text
    }
}

extension SessionEvent.Answer {
    /// In a word or two.
    package var text: String {
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
