// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Challenges
import CommandSupport
import Countersign
import ErrorExplanations

/// What a challenge asks a person, in the words that the terminal and the web page share.
package enum ChallengeQuestion {
    /// For a user and a password: who asks for what, and how often an answer was rejected.
    ///
    /// - Parameter challenge: Its own method is named.
    /// - Returns: One or two sentences, each on a line.
    package static func password(_ challenge: Challenge) -> String {
        let space = challenge.space
        let challenger = (space.role == .proxy ? "The proxy " : "") + "\(space.host):\(space.port)"
        let encryption = space.isEncrypted ? "encrypted" : "NOT encrypted: others can read along"
        let count = challenge.failureCount
        let retry = count == 0 ? "" : "\nIt rejected the last \(count == 1 ? "answer" : "\(count) answers")."
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        return """
            \(challenger) asks for a user and a password\(subject) (\(space.method); the connection is \
            \(encryption)).\(retry)
            """
    }

    /// For a bearer token; one is asked for over TLS alone.
    package static func token(_ challenge: Challenge) -> String {
        let space = challenge.space
        let retry = challenge.failureCount == 0 ? "" : "\nIt rejected the last one."
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        let challenger = "\(space.host):\(space.port)"
        return "\(challenger) asks for a token\(subject) (\(space.method); the connection is encrypted).\(retry)"
    }

    /// For a client certificate.
    package static func identity(_ request: CertificateRequest, from space: ProtectionSpace) -> String {
        let issuers = request.issuers.map { " issued by \($0)" } ?? ""
        return "\(space.host):\(space.port) asks for a client certificate\(issuers)."
    }

    /// Whether a server that evaluation does not trust is accepted.
    package struct Trust {
        /// What evaluation found, and what that means.
        package let finding: String
        /// The server's certificate, a line for each of its facts.
        package let certificate: [String]
        /// What accepting it risks.
        package let risk = """
            If another server answers in its place, it can read and change everything. Go on all the same, this once?
            """

        /// - Returns: `nil` where the challenge asks for no trust, or where the finding is one that a person cannot overrule.
        package init?(_ challenge: Challenge) {
            guard case .serverTrust(let chain, let verdict) = challenge.statement, verdict.isRecoverable,
                let explanation = verdict.explanation(of: challenge.space.subject)
            else { return nil }
            finding = "\(explanation.message) \(explanation.reason)"
            certificate = CertificateText.lines(chain.leaf)
        }
    }
}
