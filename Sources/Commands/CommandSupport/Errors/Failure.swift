// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Countersign
package import ErrorExplanations
package import PolicyFile

/// An error as the command prints it, with its exit status.
package struct Failure: Sendable {
    package let status: CommandStatus
    package private(set) var explanation: ErrorExplanation
    /// What came of evaluating the server's chain, where that is why.
    package private(set) var verdict: Verdict?
    /// The other end of the connection, if that is what it is about.
    package private(set) var peer: SessionError.Peer?
    /// Where in a policy file, if that is where.
    package private(set) var place: PolicyFilePlace?
    /// The long names of the options that the advice may name; `nil` for any.
    package var optionNames: Set<String>?

    package init(_ error: any Error) {
        if let error = error as? CommandFailure {
            self = error.failure
            return
        }
        let error = Self.ours(error)
        status = CommandStatus(error)
        explanation = error.explanation.redacted
        peer = (error as? SessionError)?.peer
        if case SessionError.trust(.notTrusted(_, _, let verdict)) = error { self.verdict = verdict }
        if let error = error as? PolicyFileError {
            place = error.place
            // The line begins with the file and the line in it.
            let (key, cause) = (error.place.key.description, error.explanationWithoutPlace)
            explanation = explanation.saying(key.isEmpty ? cause.message : "\(key): \(cause.message)")
        }
    }

    private static func ours(_ error: any Error) -> any ExplainedError {
        switch error {
        case let error as any ExplainedError: error
        case is CancellationError: CommandError.interrupted
        default: CommandError.unexpected(error)
        }
    }

    /// A name that never changes, for programs.
    package var code: String { explanation.code }

    /// What happened, and to what.
    package var message: String { explanation.message }

    /// What to try, with the command's own options for it.
    package var advice: String {
        [explanation.advice, Self.hint(for: code, optionsOf: optionNames)].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The same failure with another message.
    package func saying(_ message: String) -> Self {
        var copy = self
        copy.explanation = explanation.saying(message)
        return copy
    }

    /// What happened, what it means and what to try, each on a line; where a file is at fault it comes first, as editors read it.
    package var text: String {
        [(place?.description.printable ?? "countersign") + ": " + message, explanation.reason, advice]
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

/// A failure that was made already, with what is known of its request.
package struct CommandFailure: Error {
    package let failure: Failure
    package let circumstances: Circumstances?

    package init(failure: Failure, circumstances: Circumstances? = nil) {
        (self.failure, self.circumstances) = (failure, circumstances)
    }
}

extension ErrorExplanation {
    /// The explanation without the secrets of URLs that its message quotes.
    fileprivate var redacted: Self { saying(Redaction.text(message)) }

    /// The same explanation with another message.
    fileprivate func saying(_ message: String) -> Self { Self(code, message, reason: reason, advice: advice) }
}
