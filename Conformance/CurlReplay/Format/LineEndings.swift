// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which lines of a section end with CR LF, by its attribute `crlf`.
enum LineEndings: String {
    case asWritten = "no"
    case all = "yes"
    /// Those of heads of messages.
    case headers

    func apply(to content: [UInt8]) -> [UInt8] {
        switch self {
        case .asWritten: return content
        case .all: return content.lines.flatMap(Self.terminate)
        case .headers:
            var isInHead = false
            return content.lines.flatMap { line in
                let text = String(decoding: line, as: UTF8.self)
                isInHead = Self.isOfHead(text) || isInHead && text == "\n"
                defer { if text == "\n" { isInHead = false } }
                return isInHead ? Self.terminate(line) : Array(line)
            }
        }
    }

    /// A status line, a request line or a field, as curl's own runner takes it for one.
    private static func isOfHead(_ line: String) -> Bool {
        guard line.last == "\n" else { return false }
        let start = line.prefix { $0 != ":" && $0 != " " && $0 != "\n" }
        let rest = line.dropFirst(start.count)
        if rest.hasPrefix(": ") || rest.hasPrefix(":\n") {
            return !start.isEmpty && start != "curl" && start.utf8.allSatisfy(isNameByte)
        }
        let words = line.split { $0 == " " || $0.isNewline }
        return start.hasPrefix("HTTP/") || words.count > 2 && words[2].hasPrefix("HTTP/")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func terminate(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.last == UInt8(ascii: "\n") else { return Array(line) }
        return line.reversed().drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.reversed() + [13, 10]
    }
}
