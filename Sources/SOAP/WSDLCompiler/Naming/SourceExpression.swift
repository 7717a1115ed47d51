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
