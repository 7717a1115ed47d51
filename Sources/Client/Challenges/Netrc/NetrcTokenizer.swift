// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A tokenizer of `.netrc` files.
struct NetrcTokenizer {
    struct Token {
        let bytes: [UInt8]
        let isQuoted: Bool
        let line: Int

        /// The keyword, matched without regard to case, as in curl; `nil` for other or quoted tokens.
        var keyword: NetrcFile.Keyword? {
            isQuoted ? nil : NetrcFile.Keyword(rawValue: String(decoding: bytes, as: UTF8.self).lowercased())
        }
    }

    private var rest: ArraySlice<UInt8>
    private var line = 1
    private var isAtLineStart = true

    init(_ bytes: [UInt8]) {
        rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    }

    /// Returns the next token; `nil` at the end.
    mutating func next() throws(NetrcError) -> Token? {
        while let byte = rest.first {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if Self.isSpace(byte) {
                rest.removeFirst()
            } else if byte == UInt8(ascii: "#"), isAtLineStart {
                skipLine()
            } else {
                isAtLineStart = false
                return byte == UInt8(ascii: "\"") ? try quoted() : plain()
            }
        }
        return nil
    }

    /// Skips the rest of the line, and all lines up to and including an empty one.
    mutating func skipMacro() {
        skipLine()
        while let byte = rest.first {
            let isEmpty = byte == UInt8(ascii: "\n") || rest.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
            skipLine()
            if isEmpty { return }
        }
    }

    private mutating func plain() -> Token {
        let bytes = rest.prefix { !Self.isSpace($0) }
        rest = rest.dropFirst(bytes.count)
        return Token(bytes: Array(bytes), isQuoted: false, line: line)
    }

    private mutating func quoted() throws(NetrcError) -> Token {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\n") {
            switch byte {
            case UInt8(ascii: "\""):
                guard rest.first.map(Self.isSpace) ?? true else { throw .unexpectedWord(line: line) }
                return Token(bytes: bytes, isQuoted: true, line: line)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped != UInt8(ascii: "\n") else {
                    throw .unterminatedString(line: line)
                }
                bytes.append(Self.escapes[escaped] ?? escaped)
            default:
                bytes.append(byte)
            }
        }
        throw .unterminatedString(line: line)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private mutating func skipLine() {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
        if !rest.isEmpty { endLine() }
    }

    private mutating func endLine() {
        rest.removeFirst()
        line += 1
        isAtLineStart = true
    }
}
