// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A JSON value that preserves the digits of numbers and the order of members (RFC 8259).
package indirect enum JSONValue: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    case null
    case bool(Bool)
    /// A number, with its original digits.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// The value of the first member with the given name.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The maximum nesting of objects and arrays.
    private static let maximumDepth = 200

    /// Reads a JSON text in UTF-8.
    ///
    /// - Throws: ``JSONSyntaxError``, including for a nesting deeper than 200, for duplicate members in an object, and
    ///   for an unpaired surrogate.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = try JSONScanner(bytes)
        guard let first = try scanner.next() else { throw JSONSyntaxError(at: 0, in: bytes) }
        self = try Self(first, from: &scanner)
        _ = try scanner.next()
    }

    private init(_ token: JSONScanner.Token, from scanner: inout JSONScanner) throws(JSONSyntaxError) {
        switch token {
        case .string(let range): self = .string(try Self.string(range, scanner))
        case .number(let range): self = .number(scanner.text(range))
        case .literal(let range):
            let word = scanner.text(range)
            self = word == "null" ? .null : .bool(word == "true")
        case .beginArray:
            var items: [JSONValue] = []
            try Self.checkDepth(scanner)
            while let token = try scanner.next(), token != .end { items.append(try Self(token, from: &scanner)) }
            self = .array(items)
        case .beginObject:
            var (members, names): ([Member], Set<String>) = ([], [])
            try Self.checkDepth(scanner)
            while case .name(let range) = try scanner.next() {
                let name = try Self.string(range, scanner)
                guard names.insert(name).inserted else {
                    throw JSONSyntaxError(at: range.upperBound, in: scanner.bytes)
                }
                guard let token = try scanner.next() else { break }
                members.append(Member(name, try Self(token, from: &scanner)))
            }
            self = .object(members)
        case .name(let range): self = .string(try Self.string(range, scanner))
        case .end: self = .null
        }
    }

    private static func string(_ range: Range<Int>, _ scanner: JSONScanner) throws(JSONSyntaxError) -> String {
        guard let text = scanner.decoded(range) else { throw JSONSyntaxError(at: range.upperBound, in: scanner.bytes) }
        return text
    }

    private static func checkDepth(_ scanner: JSONScanner) throws(JSONSyntaxError) {
        guard scanner.depth <= maximumDepth else { throw scanner.problem }
    }
}

extension JSONValue {
    /// The value as indented JSON, with members in their order.
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
                let value = UInt16(truncatingIfNeeded: scalar.value)
                result += "\\u" + Hexadecimal.encode([UInt8(value >> 8), UInt8(value & 0xFF)])
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
