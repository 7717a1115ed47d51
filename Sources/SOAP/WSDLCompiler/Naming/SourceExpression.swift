// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An expression of Swift, which is written on one line or, where that is too long, with each argument on a line.
indirect enum SourceExpression {
    case text(String)
    case labelled(String, SourceExpression)
    /// A call of what the text names.
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

    /// A string's literal.
    static func literal(_ text: String) -> SourceExpression { .text(SourceText.literal(text)) }
}

extension SourceExpression: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}

/// Writes values as Swift's source.
enum SourceText {
    /// A string literal on one line.
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

    /// Whether a reader of the source would not see it, or would see the text in another order.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
