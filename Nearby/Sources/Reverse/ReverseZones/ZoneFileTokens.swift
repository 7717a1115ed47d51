// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Splits a master file into entries of words; parentheses continue an entry across line ends (RFC 1035 section 5.1).
struct ZoneFileTokens {
    struct Word {
        let text: String
        /// The byte range of the word.
        let range: Range<Int>
    }

    struct Entry {
        /// The number of the first line.
        let line: Int
        /// The byte range of the entry's lines, including the last line end.
        let range: Range<Int>
        /// Whether the entry starts with a blank, so that it inherits the owner of the previous entry.
        let continuesOwner: Bool
        let words: [Word]
        /// The byte range of the comment at the end of the last line.
        let comment: Range<Int>?
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var comment: Range<Int>?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next nonempty entry; `nil` at the end.
    ///
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``.
    mutating func next() throws(ReverseZoneError) -> Entry? {
        while index < bytes.count {
            let (start, first, byte) = (index, line, bytes[index])
            let words = try entry()
            if words.isEmpty { continue }
            return Entry(
                line: first, range: start..<index,
                continuesOwner: byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t"), words: words,
                comment: comment)
        }
        return nil
    }

    private mutating func entry() throws(ReverseZoneError) -> [Word] {
        var (words, depth) = ([Word](), 0)
        comment = nil
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                index += 1
                line += 1
                if depth == 0 { return words }
                comment = nil
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
            case UInt8(ascii: ";"):
                let start = index
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
                comment = start..<index
            case UInt8(ascii: "("):
                index += 1
                depth += 1
            case UInt8(ascii: ")"):
                index += 1
                guard depth > 0 else { throw malformed("a ) has no matching (") }
                depth -= 1
            default: words.append(try word())
            }
        }
        guard depth == 0 else { throw malformed("a ( is not closed") }
        return words
    }

    private mutating func word() throws(ReverseZoneError) -> Word {
        let start = index
        var (text, isQuoted) = ([UInt8](), false)
        loop: while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"):
                text.append(byte)
                index += 1
                guard index < bytes.count, bytes[index] != UInt8(ascii: "\n") else {
                    throw malformed("a \\ ends a line")
                }
                text.append(bytes[index])
            case UInt8(ascii: "\n") where isQuoted: throw malformed("a quote is not closed")
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ";"),
                UInt8(ascii: "("), UInt8(ascii: ")"):
                if !isQuoted { break loop }
                text.append(byte)
            default: text.append(byte)
            }
            index += 1
        }
        index = min(index, bytes.count)
        guard !isQuoted else { throw malformed("a quote is not closed") }
        return Word(text: String(decoding: text, as: UTF8.self), range: start..<index)
    }

    private func malformed(_ reason: String) -> ReverseZoneError { .malformedLine(line, reason) }
}
