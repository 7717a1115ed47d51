// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import Challenges
package import Countersign
import ErrorExplanations
import HTTPTransport
package import PolicyFiles

/// The JSON form of an error, which is the same in every command.
package struct FailureReport: Encodable {
    package struct Contents: Encodable {
        package let code: String
        package let stage: String
        package let message: String
        package let reason: String
        package let advice: String
        /// The URL or server of the command, without secrets; `nil` if the command has none.
        package private(set) var url: String?
        /// The server or proxy that the error is about.
        package let peer: String?
        /// The verdict, if the server is not trusted.
        package let verdict: VerdictRecord?
        /// The position in a policy file, if the error is about one.
        package let place: PlaceReport?
        /// The other errors of the policy file, in the order of the file; `nil` if there are none.
        package let others: [Contents]?

        package func about(_ url: String) -> Self {
            var copy = self
            copy.url = url
            return copy
        }

        fileprivate init(_ failure: Failure, _ options: ErrorOptions, url: String?) {
            (code, stage) = (failure.code, failure.explanation.stage)
            (message, reason, advice) = (failure.message, failure.explanation.reason, failure.advice(options))
            self.url = url
            peer = failure.peer?.description
            verdict = failure.verdict.map(VerdictRecord.init)
            place = failure.place.map(PlaceReport.init)
            others = failure.others.isEmpty ? nil : failure.others.map { Contents($0, options, url: nil) }
        }
    }

    package let error: Contents
    /// The certificates that the report refers to by their fingerprints.
    package let certificates: [CertificateSummary]?
    /// The TLS details that were known before the request failed.
    package let tls: TLSReport?
    package let challenges: [ChallengeReport]?

    package init(
        _ failure: Failure, _ options: ErrorOptions, under circumstances: Circumstances? = nil, about url: String? = nil
    ) {
        error = Contents(failure, options, url: circumstances?.url ?? url)
        tls = circumstances?.tls
        challenges = circumstances?.challenges
        var list = CertificateList(failure.verdict?.certificates.all ?? [])
        list.add(tls?.certificates.all ?? [])
        certificates = list.all.isEmpty ? nil : list.all
    }
}

/// The JSON form of a position in a policy file.
package struct PlaceReport: Encodable {
    package let file: String
    package let line: Int
    package let column: Int
    package let key: String

    package init(_ place: PolicyFileLocation) {
        (file, line, column, key) = (place.file, place.line, place.column, place.key.description)
    }
}

/// The information about a request at the time of its failure.
package struct Circumstances: Sendable {
    /// The URL without its user.
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
    private let library: TLSLibrary
    private let keyExchangeGroup: String?
    private let signatureScheme: String?
    private let isResumed: Bool
    /// The presented certificates, leaf first.
    private let chain: [CertificateSummary]
    private let verdict: Verdict

    package init(_ tls: ConnectionReport.TLS) {
        version = tls.version
        cipherSuite = tls.cipherSuite
        library = tls.library
        keyExchangeGroup = tls.keyExchangeGroup
        signatureScheme = tls.signatureScheme
        isResumed = tls.isResumed
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
        case version, cipherSuite, library, keyExchangeGroup, signatureScheme, isResumed, chain, verdict
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(version, forKey: .version)
        try container.encode(cipherSuite, forKey: .cipherSuite)
        try container.encode(library, forKey: .library)
        try container.encodeIfPresent(keyExchangeGroup, forKey: .keyExchangeGroup)
        try container.encodeIfPresent(signatureScheme, forKey: .signatureScheme)
        try container.encode(isResumed, forKey: .isResumed)
        try container.encode(chain.map(\.fingerprint), forKey: .chain)
        try container.encode(VerdictRecord(verdict), forKey: .verdict)
    }
}

/// A challenge and its answer, or the reason why it was not answered.
package struct ChallengeReport: Encodable, Sendable {
    /// The scheme; `nil` if it cannot be read.
    package let method: String?
    package let from: String
    package let isProxy: Bool
    package private(set) var realm: String?
    package private(set) var failures = 0
    package let answer: String
    /// The reason why the challenge was skipped; `nil` if the session looked for an answer.
    package private(set) var reason: String?

    /// Makes the report of an event; the result is `nil` if the event is about no challenge, or if an earlier one has the
    /// answer.
    package init?(_ event: SessionEvent) {
        switch event.kind {
        case .challenged(let challenge, let answer):
            method = challenge.space.method.description
            from = "\(challenge.space.host):\(challenge.space.port)"
            isProxy = challenge.space.role == .proxy
            realm = challenge.space.realm
            failures = challenge.failureCount
            self.answer = answer.text
        case .notAnswered(let peer, let method, let reason) where !reason.followsQuestion:
            self.method = method?.description
            (from, isProxy) = (peer.endpoint.description, peer.role == .proxy)
            (answer, self.reason) = ("not answered", reason.clause)
        default: return nil
        }
    }
}

extension SessionEvent.Answer {
    /// The answer in a few words.
    package var text: String {
        switch self {
        case .used(let credential):
            switch credential.kind {
            case .password(let user, _): "password of \(user.printable)"
            case .currentUser: "tickets of the current user"
            case .token: "token"
            case .identity, .encodedIdentity: "identity"
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
