// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Challenges
import CommandSupport
import Countersign
import ErrorExplanations

/// The questions that a challenge puts to the user, for the terminal and the web pages.
package enum ChallengeQuestion {
    /// Returns the question for a user name and a password: the challenger, the realm, and the number of rejected
    /// answers.
    ///
    /// - Parameter challenge: The challenge, whose authentication method the question names.
    /// - Returns: One or two sentences, each on a line.
    package static func password(_ challenge: Challenge) -> String {
        let space = challenge.space
        let challenger = (space.role == .proxy ? "The proxy " : "") + "\(space.host):\(space.port)"
        let encryption = space.isEncrypted ? "encrypted" : "NOT encrypted: others can read it"
        let count = challenge.failureCount
        let retry = count == 0 ? "" : "\nIt rejected the last \(count == 1 ? "answer" : "\(count) answers")."
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        return """
            \(challenger) asks for a user and a password\(subject) (\(space.method); the connection is \
            \(encryption)).\(retry)
            """
    }

    /// Returns the question for a bearer token, which is only requested over TLS.
    package static func token(_ challenge: Challenge) -> String {
        let space = challenge.space
        let retry = challenge.failureCount == 0 ? "" : "\nIt rejected the last one."
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        let challenger = "\(space.host):\(space.port)"
        return "\(challenger) asks for a token\(subject) (\(space.method); the connection is encrypted).\(retry)"
    }

    /// Returns the question for a client certificate.
    package static func identity(_ request: ClientCertificateRequest, from space: ProtectionSpace) -> String {
        let issuers = request.issuers.map { " issued by \($0)" } ?? ""
        return "\(space.host):\(space.port) asks for a client certificate\(issuers)."
    }

    /// The question whether to accept a server that the evaluation does not trust.
    package struct Trust {
        /// The result of the evaluation, and its meaning.
        package let finding: String
        /// The lines that describe the server's certificate.
        package let certificate: [String]
        /// The risk of accepting the server.
        package let risk = """
            If another server answers in its place, it can read and change everything. Continue anyway, this once?
            """

        /// Creates the question, or `nil` if the challenge is not about trust or the user cannot override the verdict.
        package init?(_ challenge: Challenge) {
            guard case .serverTrust(let chain, let verdict) = challenge.statement, verdict.isRecoverable,
                let explanation = verdict.explanation(of: challenge.space.subject)
            else { return nil }
            finding = "\(explanation.message) \(explanation.reason)"
            certificate = CertificateText.lines(chain.leaf)
        }
    }
}
