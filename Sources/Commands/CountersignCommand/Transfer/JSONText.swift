// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

/// JSON that a person wrote, on the command line or in a file.
enum JSONText {
    /// Reads an argument, or the file that it names, and checks that it is JSON.
    ///
    /// - Returns: The text as it stands.
    /// - Throws: ``UsageError/noJSON(_:line:column:)``, ``FileError``.
    static func read(_ text: String) throws -> [UInt8] {
        let isFile = text.hasPrefix("@")
        let bytes = isFile ? try InputFile.read(String(text.dropFirst())) : Array(text.utf8)
        guard let offset = JSONGrammar.problem(in: bytes) else { return bytes }
        let lines = bytes[..<offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: lines.last ?? [], as: UTF8.self).count + 1
        throw UsageError.noJSON(isFile ? String(text.dropFirst()) : "--json-body", line: lines.count, column: column)
    }
}

/// The grammar of JSON (RFC 8259 section 2), checked without building values.
///
/// Foundation's `JSONDecoder` (Swift 6.3) also takes a comma before a closing bracket, and UTF-16.
struct JSONGrammar {
    private let bytes: [UInt8]
    private var index = 0

    /// Returns the offset at which bytes stop being JSON in UTF-8; `nil` if they are JSON.
    static func problem(in bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return zip(bytes, String(decoding: bytes, as: UTF8.self).utf8).enumerated().first { $1.0 != $1.1 }?.offset
                ?? bytes.count
        }
        var grammar = Self(bytes: bytes)
        return grammar.readText() ? nil : grammar.index
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one value and what it contains, without recursion, so that deep nesting costs no stack.
    private mutating func readText() -> Bool {
        var brackets: [UInt8] = []
        while true {
            skipSpace()
            if let closing = readOpeningBracket() {
                skipSpace()
                if !take(closing) {
                    brackets.append(closing)
                    guard closing == UInt8(ascii: "]") || readName() else { return false }
                    continue
                }
            } else {
                guard readScalar() else { return false }
            }
            skipSpace()
            while let closing = brackets.last, take(closing) {
                brackets.removeLast()
                skipSpace()
            }
            guard let closing = brackets.last else { return index == bytes.count }
            guard take(UInt8(ascii: ",")), closing == UInt8(ascii: "]") || readName() else { return false }
        }
    }

    private mutating func readOpeningBracket() -> UInt8? {
        if take(UInt8(ascii: "{")) { return UInt8(ascii: "}") }
        return take(UInt8(ascii: "[")) ? UInt8(ascii: "]") : nil
    }

    /// Reads the name of a member and the colon behind it.
    private mutating func readName() -> Bool {
        skipSpace()
        guard readString() else { return false }
        skipSpace()
        return take(UInt8(ascii: ":"))
    }

    private mutating func readScalar() -> Bool {
        switch next {
        case UInt8(ascii: "\""): readString()
        case UInt8(ascii: "t"): take("true")
        case UInt8(ascii: "f"): take("false")
        case UInt8(ascii: "n"): take("null")
        default: readNumber()
        }
    }

    private mutating func readString() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = next, byte >= 0x20 {
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard byte == UInt8(ascii: "\\") else { continue }
            if take(UInt8(ascii: "u")) {
                for _ in 0..<4 {
                    guard takeIf({ Character(UnicodeScalar($0)).isHexDigit }) else { return false }
                }
            } else {
                guard takeIf({ "\"\\/bfnrt".utf8.contains($0) }) else { return false }
            }
        }
        return false
    }

    private mutating func readNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        guard take(UInt8(ascii: "0")) || readDigits() else { return false }
        if take(UInt8(ascii: ".")), !readDigits() { return false }
        guard takeIf({ "eE".utf8.contains($0) }) else { return true }
        _ = takeIf { "+-".utf8.contains($0) }
        return readDigits()
    }

    private mutating func readDigits() -> Bool {
        let start = index
        while takeIf({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {}
        return index > start
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while takeIf({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {}
    }

    private mutating func take(_ byte: UInt8) -> Bool { takeIf { $0 == byte } }

    private mutating func take(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in word.allSatisfy { take($0) } }
    }

    private mutating func takeIf(_ isWanted: (UInt8) -> Bool) -> Bool {
        guard let next, isWanted(next) else { return false }
        index += 1
        return true
    }
}
