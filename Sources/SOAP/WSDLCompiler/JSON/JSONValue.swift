// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of JSON, whose numbers and order of members stay as they are written (RFC 8259).
package indirect enum JSONValue: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    case null
    case bool(Bool)
    /// As it is written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// The first member of a name.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSONValue {
    /// The value as JSON over several lines, with members in their order.
    package var text: String {
        var text = ""
        write(to: &text, indent: "")
        return text
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): text += Self.quoted(string)
        case .array(let items):
            Self.write(items, "[", "]", to: &text, indent) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.write(members, "{", "}", to: &text, indent) { member, text, indent in
                text += Self.quoted(member.name) + ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], _ open: String, _ close: String, to text: inout String, _ indent: String,
        _ body: (Item, inout String, String) -> Void
    ) {
        text += open
        for (index, item) in items.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + indent + "  "
            body(item, &text, indent + "  ")
        }
        text += (items.isEmpty ? "" : "\n" + indent) + close
    }

    private static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
