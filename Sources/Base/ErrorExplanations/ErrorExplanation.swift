// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The explanation of an error: what happened, why, and what to try, under a code that never changes.
public struct ErrorExplanation: Hashable, Sendable {
    /// The kind of an error, which decides with which status a program ends.
    package enum Kind: String, Codable, Sendable {
        /// The work failed for any other reason.
        case failed
        /// Something was asked for that cannot be.
        case usage
        /// The other side is not trusted.
        case notTrusted
        /// A credential is missing, or was refused.
        case notAuthenticated
    }

    /// The kind of the error.
    package let kind: Kind
    /// The stage and the cause, such as `connection.refused`: lower-case letters, digits and `-` on both sides of the dot.
    ///
    /// It never changes, and it is the same in the library, in JSON, logs, metrics and the command.
    public let code: String
    /// What happened, and where: one sentence, with the cause first.
    public let message: String
    /// The meaning of what happened, in one or two short sentences; empty where the message says all.
    public let reason: String
    /// What to try, in one or two short sentences; empty where there is nothing to try.
    public let advice: String

    /// Creates an explanation from its parts; characters that are not printable are escaped.
    public init(_ code: String, _ message: String, reason: String, advice: String) {
        self.init(.failed, code, message, reason: reason, advice: advice)
    }

    /// Creates the explanation of an error of a kind.
    package init(_ kind: Kind, _ code: String, _ message: String, reason: String, advice: String) {
        (self.kind, self.code) = (kind, code)
        self.message = message.printable
        self.reason = reason.printable
        self.advice = advice.printable
    }

    /// The part of the code before the dot, which names the stage of the work that failed.
    public var stage: String { String(code.prefix { $0 != "." }) }

    /// The message, the reason and the advice, separated by spaces.
    public var text: String { [message, reason, advice].filter { !$0.isEmpty }.joined(separator: " ") }
}

/// The parts of an explanation whose message also stands within another message, after a colon.
package struct ClausedExplanation {
    package let code: String
    /// What happened, in lower case and without a full stop.
    package let clause: String
    package let reason: String
    package let advice: String

    package init(_ code: String, _ clause: String, reason: String, advice: String) {
        (self.code, self.clause, self.reason, self.advice) = (code, clause, reason, advice)
    }

    /// With the clause as a sentence, of an error of the kind `failed`.
    package var explanation: ErrorExplanation { explanation(.failed) }

    /// With the clause as a sentence, of an error of a kind.
    package func explanation(_ kind: ErrorExplanation.Kind) -> ErrorExplanation {
        ErrorExplanation(kind, code, clause.asSentence, reason: reason, advice: advice)
    }
}

extension String {
    /// A clause as a sentence: with a capital and a full stop.
    package var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

/// An error that explains itself: every public error of every target.
///
/// `description`, `localizedDescription` and the parts have the same sentences. No secret is in them.
public protocol ExplainedError: LocalizedError, CustomStringConvertible, Sendable {
    /// The explanation: what happened, why, and what to try.
    var explanation: ErrorExplanation { get }
}

extension ExplainedError {
    /// The stable name of the error, such as `connection.refused`.
    public var code: String { explanation.code }
    /// The explanation's message: what happened, and where, in one sentence.
    public var errorDescription: String? { explanation.message }
    /// The explanation's reason: the meaning of what happened.
    public var failureReason: String? { explanation.reason }
    /// The explanation's advice: what to try.
    public var recoverySuggestion: String? { explanation.advice }
    /// `nil`, since there is no help book.
    ///
    /// It is declared here so that a conforming type need not import Foundation.
    public var helpAnchor: String? { nil }
    /// The message, the reason and the advice, in one line.
    public var description: String { explanation.text }
}

/// An error that gives an example of each of its codes, from which `docs/reference/errors.md` and `countersign explain` are made.
package protocol CataloguedError: ExplainedError {
    /// At least one value for each code.
    static var examples: [Self] { get }
}

extension String {
    /// The text as one line that cannot change how a terminal behaves: each character that is not printable is written as `\u{9b}`.
    ///
    /// Every text that comes from outside passes through here before it is printed, such as names, realms, header fields and URLs.
    package var printable: String { escaped { $0.isPrintable } }

    /// The text with its line breaks and tabs as they are, and every other character that is not printable escaped.
    package var printableLines: String { escaped { $0.isPrintable || $0 == "\n" || $0 == "\t" } }

    private func escaped(unless isShown: (Unicode.Scalar) -> Bool) -> String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isShown(scalar) {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal only shows the character.
    ///
    /// False for controls (C0, DEL, and C1 with its CSI at U+009B), which can be commands, for the formats that change the direction of
    /// text, for line and paragraph separators, for what is invisible (zero-width characters, fillers, tags), and for what has no meaning.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default:
            // The first sixteen variation selectors choose between an emoji and its plain form.
            !properties.isDefaultIgnorableCodePoint || (0xFE00...0xFE0F).contains(value)
        }
    }
}
