// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error of this module.
///
/// All other errors are those of the session, such as `SessionError`.
@nonexhaustive
public enum HTTPClientError: Error, Hashable, Sendable {
    /// The deadline passed before the response and its body were complete.
    case deadlineExceeded
    /// The client was shut down before or during the request.
    case alreadyShutdown
    /// The request has invalid header field names (RFC 9110 section 5.1). Holds these names.
    case invalidHeaderFieldNames([String])
    /// The request has an invalid method (RFC 9110 section 9.1). Holds the method.
    case invalidMethod(String)
}

extension HTTPClientError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .deadlineExceeded:
            ErrorExplanation(
                "client.deadline-exceeded", "The deadline passed before the response was complete.",
                reason: "The deadline covers the whole request, with redirects, challenges and the response's body.",
                advice: "Give a later deadline, or try again.")
        case .alreadyShutdown:
            ErrorExplanation(
                "client.already-shutdown", "The client was shut down before the request.",
                reason: "A client that was shut down has closed its connections and opens no others.",
                advice: "Make the request before the shutdown, or make a new client.")
        case .invalidHeaderFieldNames(let names):
            ErrorExplanation(
                "client.invalid-header-field-names",
                "These header field names are not valid: \(names.map { "\"\($0)\"" }.joined(separator: ", ")).",
                reason: "A field name has letters, digits and some punctuation, and no space (RFC 9110 section 5.1).",
                advice: "Correct the names, or remove the fields.")
        case .invalidMethod(let method):
            ErrorExplanation(
                "client.invalid-method", "The method \"\(method)\" is not valid.",
                reason: "A method has letters, digits and some punctuation, and no space (RFC 9110 section 9.1).",
                advice: "Give a method such as GET or POST.")
        }
    }

    package static var examples: [Self] {
        [.deadlineExceeded, .alreadyShutdown, .invalidHeaderFieldNames(["a b"]), .invalidMethod("GET /")]
    }
}
