// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// An error of a command.
package enum CommandError: Error {
    /// There is no terminal to ask for a confirmation. Holds the operation to confirm, and the option that confirms it.
    case confirmationNeeded(String, option: String)
    /// The user answered no. Holds the outcome.
    case declined(String)
    case fingerprintMismatch(found: String, expected: String)
    /// The URL of an anchor redirects to plain http.
    case insecureAnchorSource(String, redirect: String)
    /// The body is not text, and could control the terminal, or has a charset that is not supported. Holds this charset.
    case notText(charset: String? = nil)
    /// The response's status is 401 or 407. Holds the URL, the status, the missing credential, the reason, and a sentence
    /// about a credential that was not sent or an option.
    case rejected(String, status: String, need: String?, reason: String, remark: String? = nil)
    /// The response has another unsuccessful status. Holds the URL, the status, the file that was not written,
    /// whether there is a body, whether a client certificate that the server asked for may be missing, a clause about it, a sentence about a
    /// credential that was not sent, and one with the server's own reason.
    case badStatus(
        String, status: String, file: String?, hasBody: Bool = true, lacksCertificate: Bool, need: String? = nil,
        unsent: String? = nil, statement: String? = nil)
    /// An error of another library.
    case unexpected(any Error)
    case interrupted
}

extension CommandError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .confirmationNeeded(let what, let option):
            ErrorExplanation(
                "confirmation.needed", "\(what) There is no terminal to ask on.",
                reason: "The command does this only after a person has confirmed it.",
                advice: "Run it on a terminal, or confirm with \(option).")
        case .declined(let outcome):
            ErrorExplanation(
                "confirmation.declined", outcome, reason: "The question was answered with no.",
                advice: "Run the command again to answer with yes.")
        case .fingerprintMismatch(let found, let expected):
            ErrorExplanation(
                "confirmation.fingerprint-mismatch", "The fingerprint is \(found), not \(expected).",
                reason: "This is another certificate than the one that was meant, or it was changed in transit.",
                advice: "Compare the fingerprint with its owner. Nothing was imported.")
        case .insecureAnchorSource(let source, let destination):
            ErrorExplanation(
                "confirmation.insecure-source", "\(source) redirects to \(destination), which is not encrypted.",
                reason: "The certificate could be replaced in transit.",
                advice: "Import from that URL itself, and compare the fingerprint with its owner.")
        case .notText(let charset?):
            ErrorExplanation(
                "output.not-text", "The body has the charset \(charset), by its Content-Type.",
                reason: "A terminal receives UTF-8, and the command does not convert this charset.",
                advice: "Write it to a file with -o FILE, or add '| iconv -f \(charset)' to the command.")
        case .notText:
            ErrorExplanation(
                "output.not-text", "The body is not text.",
                reason: "Control characters can change how the terminal behaves.",
                advice: "Write it to a file with -o FILE, or pipe it to another program.")
        case .rejected(let url, let status, let need, let reason, let remark):
            ErrorExplanation(
                .notAuthenticated, "authentication.rejected",
                "\(url) answered \(status)\(need.map { ": \($0)" } ?? "").",
                reason: reason,
                advice: remark ?? "Run it with -v to see what the server asked for and what was sent.")
        case .badStatus(
            let url, let status, let file, let hasBody, let lacksCertificate, let need, let unsent, let statement):
            ErrorExplanation(
                "response.status", "\(url) answered \(status).",
                reason: (statement.map { "\($0) " } ?? "")
                    + (need.map { "\($0). " }
                        ?? (lacksCertificate
                            ? "The server asked for a client certificate in the TLS handshake, and none was presented. "
                            : ""))
                    + (file.map { "\($0) was not changed." }
                        ?? (hasBody ? "The body may say why." : "It sent no body.")),
                advice: (lacksCertificate && need == nil
                    ? "If the server requires one, give it with --identity FILE. " : "")
                    + (unsent.map { "\($0) " } ?? "")
                    + (file == nil
                        ? (hasBody ? "Read the body, or ask the server's operator." : "Ask the server's operator.")
                        : "Leave out -o or -O to read the body, which may say why."))
        case .unexpected(let error):
            ErrorExplanation(
                "internal.unexpected", "An unexpected error: \(error).",
                reason: "The command does not know this error.",
                advice: "Run it again with -v, and report it with the last lines.")
        case .interrupted:
            ErrorExplanation(
                "cancellation.cancelled", "The work was cancelled.",
                reason: "A signal such as Ctrl-C, or the program itself, ended it.", advice: "Run it again.")
        }
    }

    /// The reason of a rejection without a challenge.
    package static let unknownUser = "The server gives this page only to users that it knows."

    package static var examples: [CommandError] {
        let url = "https://localhost:8443/items"
        return [
            .confirmationNeeded("The fingerprint 1f:2e has to be compared.", option: "--yes"),
            .declined("Nothing was imported."), .fingerprintMismatch(found: "1f:2e", expected: "3d:4c"),
            .insecureAnchorSource("https://localhost:8443/ca.pem", redirect: "http://localhost:8080/ca.pem"),
            .notText(),
            .rejected(
                url, status: "401 Unauthorized", need: "localhost:8443 rejected the user and password",
                reason: unknownUser),
            .badStatus(url, status: "404 Not Found", file: nil, lacksCertificate: false),
            .unexpected(ExampleError()), .interrupted,
        ]
    }
}

private struct ExampleError: Error {}
