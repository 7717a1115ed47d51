// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Challenges
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import Identities
import X509

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
        "\(space.host):\(space.port) asks for a client certificate\(request.issuerClause)."
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

extension ClientCertificateRequest {
    /// The words about the issuers that the server names; empty if there are none.
    var issuerClause: String { issuers.map { " issued by \($0)" } ?? "" }

    /// Returns the subject of an identity and the reason for which it does not meet the request, or is not for TLS clients
    /// at this time; `nil` if there is none.
    func misfit(_ identity: Identity) -> (subject: String, reason: String)? {
        let (certificate, now) = (identity.certificate, Date())
        let reason: String? =
            switch mismatch(of: identity) {
            case .issuer: "the server names other issuers"
            case .algorithm where identity.isKeyHeld: "its key in the token signs with none of the server's algorithms"
            case .algorithm: "\(certificate.publicKey.typeName) is not among the server's algorithms"
            case nil:
                if certificate.isForClients(at: now) {
                    nil
                } else if certificate.notValidAfter < now {
                    "it has expired"
                } else {
                    certificate.notValidBefore > now ? "it is not yet valid" : "it is not for TLS clients"
                }
            }
        return reason.map { (CertificateSummary(certificate).subject, $0) }
    }
}
