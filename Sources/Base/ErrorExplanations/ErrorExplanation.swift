// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The explanation of an error: what happened, why, and what to try, under a code that never changes.
public struct ErrorExplanation: Hashable, Sendable {
    /// The kind of an error, which determines the exit status of a program.
    package enum Kind: String, Codable, Sendable {
        /// The work failed for any other reason.
        case failed
        /// The request or the arguments are invalid.
        case usage
        /// The peer is not trusted.
        case notTrusted
        /// A credential is missing or was rejected.
        case notAuthenticated
    }

    /// The kind of the error.
    package let kind: Kind
    /// The stage and the cause, such as `connection.refused`:
    /// lowercase letters, digits and `-` on both sides of the dot.
    ///
    /// The code never changes, and it is the same in the library, JSON, logs, metrics and the command.
    public let code: String
    /// The event and its location, in one sentence, with the cause first.
    public let message: String
    /// The meaning of the event, in one or two short sentences; empty if the message is sufficient.
    public let reason: String
    /// The actions to try, in one or two short sentences; empty if there are none.
    public let advice: String

    /// Creates an explanation from its parts, escaping unprintable characters.
    public init(_ code: String, _ message: String, reason: String, advice: String) {
        self.init(.failed, code, message, reason: reason, advice: advice)
    }

    /// Creates an explanation of the given kind.
    package init(_ kind: Kind, _ code: String, _ message: String, reason: String, advice: String) {
        (self.kind, self.code) = (kind, code)
        self.message = message.printable
        self.reason = reason.printable
        self.advice = advice.printable
    }

    /// Returns the same explanation with the name of a file before the message.
    package func naming(_ path: String) -> Self {
        Self(kind, code, "\(path): \(message)", reason: reason, advice: advice)
    }

    /// The part of the code before the dot, which identifies the failed stage.
    public var stage: String { String(code.prefix { $0 != "." }) }

    /// The message, the reason and the advice, separated by spaces.
    public var text: String { [message, reason, advice].filter { !$0.isEmpty }.joined(separator: " ") }
}

/// The parts of an explanation whose message can also follow a colon within another message.
package struct ClausedExplanation {
    package let code: String
    /// The message in lowercase and without a period.
    package let clause: String
    package let reason: String
    package let advice: String

    package init(_ code: String, _ clause: String, reason: String, advice: String) {
        (self.code, self.clause, self.reason, self.advice) = (code, clause, reason, advice)
    }

    /// The explanation with the clause as a sentence, of kind `failed`.
    package var explanation: ErrorExplanation { explanation(.failed) }

    /// Returns the explanation with the clause as a sentence, of the given kind.
    package func explanation(_ kind: ErrorExplanation.Kind) -> ErrorExplanation {
        ErrorExplanation(kind, code, clause.asSentence, reason: reason, advice: advice)
    }
}

extension String {
    /// The clause as a sentence, capitalized and with a period.
    package var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

/// An error with an explanation; all public errors of all targets conform to it.
///
/// `description`, `localizedDescription` and the parts contain the same sentences. They contain no secrets.
public protocol ExplainedError: LocalizedError, CustomStringConvertible, Sendable {
    /// The explanation: what happened, why, and what to try.
    var explanation: ErrorExplanation { get }
}

extension ExplainedError {
    /// The stable name of the error, such as `connection.refused`.
    public var code: String { explanation.code }
    /// The explanation's message: the event and its location, in one sentence.
    public var errorDescription: String? { explanation.message }
    /// The explanation's reason: the meaning of the event.
    public var failureReason: String? { explanation.reason }
    /// The explanation's advice: the actions to try.
    public var recoverySuggestion: String? { explanation.advice }
    /// The help anchor, which is `nil` because there is no help book.
    ///
    /// The default implementation is here so that a conforming type need not import Foundation.
    public var helpAnchor: String? { nil }
    /// The message, the reason and the advice, in one line.
    public var description: String { explanation.text }
}

/// An error with examples for all its codes, from which
/// `docs/reference/errors.md` and `countersign explain` are generated.
package protocol CataloguedError: ExplainedError {
    /// At least one value for each code.
    static var examples: [Self] { get }
}

extension String {
    /// The text as one line that cannot affect a terminal: unprintable characters are written in the form `\u{9b}`.
    ///
    /// All external text must be escaped with this property before printing, such as names, realms, header fields and
    /// URLs.
    package var printable: String { escaped { $0.isPrintable } }

    /// The text with its line breaks and tabs unchanged, and every other unprintable character escaped.
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
    /// Whether a terminal displays the character without side effects.
    ///
    /// The value is false for control characters (C0, DEL, and C1 with its CSI at U+009B), which can be terminal
    /// commands, for characters that change the direction of text, for line and paragraph separators, for invisible
    /// characters (zero-width characters, fillers, tags), and for unassigned ones.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default:
            // The first sixteen variation selectors select the emoji or text form of a character.
            !properties.isDefaultIgnorableCodePoint || (0xFE00...0xFE0F).contains(value)
        }
    }
}
