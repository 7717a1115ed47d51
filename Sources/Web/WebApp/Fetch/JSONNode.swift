// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// A value of JSON as the page shows it: a line, or a list that opens.
///
/// Names, texts and numbers stand as they were sent, in their order: nothing is decoded, rounded, sorted or merged.
struct JSONNode {
    let key: String?
    /// Of a value without values in it.
    let value: String?
    /// What the value is: `text`, `number`, `word` or `list`.
    let kind: String
    let isList: Bool
    /// How many values are in it, in words.
    private(set) var count: String?
    private(set) var children: [JSONNode] = []

    fileprivate init(key: String? = nil, value: String? = nil, kind: String) {
        (self.key, self.value, self.kind, isList) = (key, value, kind, kind == "list")
    }

    /// - Returns: `nil` for bytes that are not JSON (RFC 8259), and for values that are nested too deeply to be read.
    init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = JSONReader(bytes)
        guard let node = try? reader.document() else { return nil }
        self = node
    }
}

/// Reads a document of JSON (RFC 8259) token by token.
private struct JSONReader {
    struct Malformed: Error {}

    /// More is not shown: a browser opens a long page slowly.
    private static let limit = 2_000
    private static let depthLimit = 60
    /// Deeper values are not read, because each level takes a part of the stack.
    private static let readDepthLimit = 512

    private let bytes: [UInt8]
    private var index = 0
    private var remaining = Self.limit

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(Malformed) -> JSONNode {
        let node = try value(key: nil, depth: 0)
        guard next == nil else { throw Malformed() }
        return node
    }

    /// The next byte after white space, which is passed over.
    private var next: UInt8? {
        mutating get {
            while index < bytes.count, " \t\n\r".utf8.contains(bytes[index]) { index += 1 }
            return index < bytes.count ? bytes[index] : nil
        }
    }

    private mutating func value(key: String?, depth: Int) throws(Malformed) -> JSONNode {
        guard depth <= Self.readDepthLimit else { throw Malformed() }
        remaining -= 1
        switch next {
        case UInt8(ascii: "{"): return try list(key: key, depth: depth, end: "}")
        case UInt8(ascii: "["): return try list(key: key, depth: depth, end: "]")
        case UInt8(ascii: "\""): return JSONNode(key: key, value: "\"\(try text())\"", kind: "text")
        default:
            let word = token { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            if ["true", "false", "null"].contains(word) { return JSONNode(key: key, value: word, kind: "word") }
            guard word.isEmpty else { throw Malformed() }
            return JSONNode(key: key, value: try number(), kind: "number")
        }
    }

    private mutating func list(key: String?, depth: Int, end: Unicode.Scalar) throws(Malformed) -> JSONNode {
        let isObject = end == "}"
        var (node, count, hidden) = (JSONNode(key: key, kind: "list"), 0, 0)
        index += 1
        while next != UInt8(ascii: end) {
            if count > 0 { try take(",") }
            let isShown = remaining > 0 && depth < Self.depthLimit
            var name = String(count)
            if isObject {
                guard next == UInt8(ascii: "\"") else { throw Malformed() }
                name = try text()
                // An empty name would be no name on the page.
                if name.isEmpty { name = "\"\"" }
                try take(":")
            }
            let child = try value(key: name, depth: depth + 1)
            if isShown { node.add(child) } else { hidden += 1 }
            count += 1
        }
        index += 1
        node.end(count: isObject ? "{\(count)}" : "[\(count)]", hidden: hidden)
        return node
    }

    private mutating func take(_ mark: Unicode.Scalar) throws(Malformed) {
        guard next == UInt8(ascii: mark) else { throw Malformed() }
        index += 1
    }

    /// Reads a text between quotation marks, with its escapes.
    private mutating func text() throws(Malformed) -> String {
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] >= 0x20 else { throw Malformed() }
            if bytes[index] == UInt8(ascii: "\\") { try passEscape() } else { index += 1 }
        }
        guard index < bytes.count else { throw Malformed() }
        defer { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self).printable
    }

    private mutating func passEscape() throws(Malformed) {
        index += 1
        guard index < bytes.count, "\"\\/bfnrtu".utf8.contains(bytes[index]) else { throw Malformed() }
        let digits = bytes[index] == UInt8(ascii: "u") ? 4 : 0
        index += 1
        for _ in 0..<digits {
            guard index < bytes.count, Character(Unicode.Scalar(bytes[index])).isHexDigit else { throw Malformed() }
            index += 1
        }
    }

    private mutating func number() throws(Malformed) -> String {
        let start = index
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        let whole = digits()
        guard !whole.isEmpty, whole == "0" || !whole.hasPrefix("0") else { throw Malformed() }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard !digits().isEmpty else { throw Malformed() }
        }
        if index < bytes.count, "eE".utf8.contains(bytes[index]) {
            index += 1
            if index < bytes.count, "+-".utf8.contains(bytes[index]) { index += 1 }
            guard !digits().isEmpty else { throw Malformed() }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() -> String { token { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    private mutating func token(_ isPart: (UInt8) -> Bool) -> String {
        let token = bytes[index...].prefix(while: isPart)
        index += token.count
        return String(decoding: token, as: UTF8.self)
    }
}

extension JSONNode {
    fileprivate mutating func add(_ child: JSONNode) { children.append(child) }

    /// Ends a list, and names the values in it that are not shown.
    fileprivate mutating func end(count: String, hidden: Int) {
        self.count = count
        guard hidden > 0 else { return }
        children.append(JSONNode(value: "… \(hidden) more", kind: "word"))
    }
}
