// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension JSONValue {
    /// Reads a text of JSON in UTF-8 (RFC 8259).
    ///
    /// Nesting deeper than 200, and members of the same name within an object, are refused.
    package init(parsing bytes: [UInt8]) throws(WSDLCompilerError) {
        var parser = JSONParser(bytes: bytes)
        self = try parser.document()
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    private var place = 0
    private var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(WSDLCompilerError) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw problem }
        let value = try value()
        skipSpaces()
        guard place == bytes.count else { throw problem }
        return value
    }

    /// A mistake at this place.
    private var problem: WSDLCompilerError {
        let before = bytes[..<min(place, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return .value(path: "$", .syntax(line: line, column: column))
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpaces() {
        while let next, [0x20, 0x09, 0x0A, 0x0D].contains(next) { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard let next, next == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func value() throws(WSDLCompilerError) -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 200 else { throw problem }
        skipSpaces()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(WSDLCompilerError) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else { throw problem }
        place += word.utf8.count
        return value
    }

    private mutating func array() throws(WSDLCompilerError) -> JSONValue {
        place += 1
        var items: [JSONValue] = []
        skipSpaces()
        if take("]") { return .array([]) }
        repeat {
            items.append(try value())
            skipSpaces()
        } while take(",")
        guard take("]") else { throw problem }
        return .array(items)
    }

    private mutating func object() throws(WSDLCompilerError) -> JSONValue {
        place += 1
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        skipSpaces()
        if take("}") { return .object([]) }
        repeat {
            skipSpaces()
            guard next == UInt8(ascii: "\"") else { throw problem }
            let name = try string()
            guard names.insert(name).inserted else { throw problem }
            skipSpaces()
            guard take(":") else { throw problem }
            members.append(JSONValue.Member(name, try value()))
            skipSpaces()
        } while take(",")
        guard take("}") else { throw problem }
        return .object(members)
    }

    /// A number, whose digits stay as they are.
    private mutating func number() throws(WSDLCompilerError) -> JSONValue {
        let start = place
        _ = take("-")
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[place - whole] != UInt8(ascii: "0") else { throw problem }
        if take("."), digits() == 0 { throw problem }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw problem }
        }
        return .number(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func digits() -> Int {
        let start = place
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { place += 1 }
        return place - start
    }

    private mutating func string() throws(WSDLCompilerError) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw problem }
            place += 1
            if byte == UInt8(ascii: "\\") {
                text.append(contentsOf: String(Character(try escape())).utf8)
            } else {
                text.append(byte)
            }
        }
        guard take("\"") else { throw problem }
        return String(decoding: text, as: UTF8.self)
    }

    /// After the backslash.
    private mutating func escape() throws(WSDLCompilerError) -> Unicode.Scalar {
        guard let byte = next else { throw problem }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var code = try unit()
            if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
                let low = try unit()
                guard (0xDC00..<0xE000).contains(low) else { throw problem }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw problem }
            return scalar
        default: throw problem
        }
    }

    private mutating func unit() throws(WSDLCompilerError) -> UInt32 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw problem }
        place += 4
        return unit
    }
}
