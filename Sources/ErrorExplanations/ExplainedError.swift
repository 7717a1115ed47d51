// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An error that explains itself: every public error of every target.
///
/// Whoever prints one, by `description`, by `localizedDescription` or part by part, prints the same sentences. No secret is in them.
public protocol ExplainedError: LocalizedError, CustomStringConvertible, Sendable {
    /// What happened, what that means and what to try.
    var explanation: ErrorExplanation { get }
}

extension ExplainedError {
    /// The stable name of the error, such as `connection.refused`.
    public var code: String { explanation.code }
    /// What happened, and where: one sentence.
    public var errorDescription: String? { explanation.message }
    /// What that means.
    public var failureReason: String? { explanation.reason }
    /// What to try.
    public var recoverySuggestion: String? { explanation.advice }
    /// There is no help book.
    ///
    /// It is declared here so that a conforming type need not import Foundation.
    public var helpAnchor: String? { nil }
    /// All of it, in one line.
    public var description: String { explanation.text }
}

/// An error that gives an example of each of its codes, from which `docs/errors.md` and `countersign explain` are made.
package protocol CataloguedError: ExplainedError {
    /// At least one value for each code.
    static var examples: [Self] { get }
}
