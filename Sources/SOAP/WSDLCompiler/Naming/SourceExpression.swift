// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A Swift expression, written on one line or, if that is too long, with each argument on its own line.
indirect enum SourceExpression {
    case text(String)
    case labelled(String, SourceExpression)
    /// A call of the named function or initializer.
    case call(String, [SourceExpression])
    case array([SourceExpression])

    /// The expression on one line.
    var flat: String {
        switch self {
        case .text(let text): text
        case .labelled(let label, let value): label + ": " + value.flat
        case .call(let function, let arguments): function + "(" + arguments.map(\.flat).joined(separator: ", ") + ")"
        case .array(let items): "[" + items.map(\.flat).joined(separator: ", ") + "]"
        }
    }

    /// Returns a string literal.
    static func literal(_ text: String) -> SourceExpression { .text(SourceText.literal(text)) }
}

extension SourceExpression: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}

/// Formats values as Swift source.
enum SourceText {
    /// Returns a string literal on one line.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || isInvisible(scalar):
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns whether a character is invisible in source or changes the order of the displayed text.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
