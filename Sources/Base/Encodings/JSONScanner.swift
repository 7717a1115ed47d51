// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A syntax error in JSON (RFC 8259), or bytes that are not UTF-8.
package struct JSONSyntaxError: Error, Hashable {
    /// The byte offset of the error.
    package let offset: Int
    /// The line number, starting at 1.
    package let line: Int
    /// The column number in characters, starting at 1.
    package let column: Int

    init(at offset: Int, in bytes: [UInt8]) {
        let lines = bytes[..<min(offset, bytes.count)]
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        (self.offset, line) = (offset, max(lines.count, 1))
        column = String(decoding: lines.last ?? [], as: UTF8.self).count + 1
    }
}

/// Reads JSON (RFC 8259) token by token, without recursion, so that deep nesting uses no stack.
///
/// Foundation's `JSONDecoder` (Swift 6.3) also accepts a comma before a closing bracket, and UTF-16.
package struct JSONScanner {
    /// A token of the text.
    ///
    /// Ranges are byte offsets; those of names and strings exclude the quotation marks.
    package enum Token: Hashable, Sendable {
        case beginObject, beginArray
        /// The end of the innermost object or array.
        case end
        /// The name of the member whose value follows.
        case name(Range<Int>)
        case string(Range<Int>)
        case number(Range<Int>)
        /// `true`, `false` or `null`.
        case literal(Range<Int>)
    }

    private enum State {
        case value, firstItem, name, firstName, afterValue
    }

    package let bytes: [UInt8]
    private var index = 0
    private var state = State.value
    /// The closing brackets of the open objects and arrays.
    private var brackets: [UInt8] = []

    /// The number of open objects and arrays.
    package var depth: Int { brackets.count }

    /// Makes a scanner.
    ///
    /// - Throws: ``JSONSyntaxError`` at the first byte that is not UTF-8.
    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        self.bytes = bytes
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        let repaired = String(decoding: bytes, as: UTF8.self).utf8
        index = zip(bytes, repaired).enumerated().first { $1.0 != $1.1 }?.offset ?? bytes.count
        throw problem
    }

    /// Reads the next token.
    ///
    /// - Returns: `nil` at the end of the text.
    package mutating func next() throws(JSONSyntaxError) -> Token? {
        skipSpace()
        if state == .afterValue {
            guard let closing = brackets.last else {
                guard index == bytes.count else { throw problem }
                return nil
            }
            if take(closing) { return close() }
            guard take(UInt8(ascii: ",")) else { throw problem }
            state = closing == UInt8(ascii: "}") ? .name : .value
            skipSpace()
        }
        if state == .firstItem && take(UInt8(ascii: "]")) || state == .firstName && take(UInt8(ascii: "}")) {
            return close()
        }
        if state == .name || state == .firstName {
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw problem }
            state = .value
            return .name(name)
        }
        state = .afterValue
        if take(UInt8(ascii: "{")) { return open(closing: UInt8(ascii: "}"), .firstName, .beginObject) }
        if take(UInt8(ascii: "[")) { return open(closing: UInt8(ascii: "]"), .firstItem, .beginArray) }
        let start = index
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): try take("true")
        case UInt8(ascii: "f"): try take("false")
        case UInt8(ascii: "n"): try take("null")
        default: return .number(try number())
        }
        return .literal(start..<index)
    }

    /// Returns the text of a range, with its escapes not decoded.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns a name or string with its escapes decoded, or `nil` if an escape is an unpaired surrogate.
    package func decoded(_ range: Range<Int>) -> String? {
        guard bytes[range].contains(UInt8(ascii: "\\")) else { return text(range) }
        var (result, rest) = ([UInt8](), bytes[range])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "u"):
                var code = Self.unit(&rest)
                if (0xD800..<0xDC00).contains(code), rest.starts(with: "\\u".utf8) {
                    rest = rest.dropFirst(2)
                    let low = Self.unit(&rest)
                    guard (0xDC00..<0xE000).contains(low) else { return nil }
                    code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                }
                guard let scalar = Unicode.Scalar(code) else { return nil }
                result += UTF8.encode(scalar) ?? UTF8.EncodedScalar()
            default: result.append(escape)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads the four digits of a code unit, which the scanner has validated.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 4 | UInt32(Hexadecimal.value(of: $1) ?? 0) }
    }

    /// The syntax error at the current position.
    var problem: JSONSyntaxError { JSONSyntaxError(at: index, in: bytes) }

    private mutating func open(closing bracket: UInt8, _ state: State, _ token: Token) -> Token {
        brackets.append(bracket)
        self.state = state
        return token
    }

    private mutating func close() -> Token {
        brackets.removeLast()
        state = .afterValue
        return .end
    }

    /// Reads a string, and returns the range between its quotation marks.
    private mutating func string() throws(JSONSyntaxError) -> Range<Int> {
        guard take(UInt8(ascii: "\"")) else { throw problem }
        let start = index
        while index < bytes.count, bytes[index] >= 0x20 {
            if take(UInt8(ascii: "\"")) { return start..<(index - 1) }
            if take(UInt8(ascii: "\\")) {
                let digits = take(UInt8(ascii: "u")) ? 4 : 0
                guard digits == 4 || takeIf({ "\"\\/bfnrt".utf8.contains($0) }) else { throw problem }
                for _ in 0..<digits {
                    guard takeIf({ Hexadecimal.value(of: $0) != nil }) else { throw problem }
                }
            } else {
                index += 1
            }
        }
        throw problem
    }

    private mutating func number() throws(JSONSyntaxError) -> Range<Int> {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if takeIf({ $0 | 0x20 == UInt8(ascii: "e") }) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return start..<index
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = index
        while takeIf({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {}
        guard index > start else { throw problem }
    }

    private mutating func skipSpace() {
        while takeIf({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {}
    }

    private mutating func take(_ word: StaticString) throws(JSONSyntaxError) {
        let isPresent = word.withUTF8Buffer { word in word.allSatisfy { take($0) } }
        guard isPresent else { throw problem }
    }

    private mutating func take(_ byte: UInt8) -> Bool { takeIf { $0 == byte } }

    private mutating func takeIf(_ isWanted: (UInt8) -> Bool) -> Bool {
        guard index < bytes.count, isWanted(bytes[index]) else { return false }
        index += 1
        return true
    }
}
