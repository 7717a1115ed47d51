// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The entries of a master file: words, which parentheses carry over the ends of lines (RFC 1035 section 5.1).
struct ZoneFileTokens {
    struct Entry {
        /// The number of its first line.
        let line: Int
        /// Whether it begins with a blank, so that it is of the owner of the entry before it.
        let continuesOwner: Bool
        let words: [String]
    }

    private var bytes: ArraySlice<UInt8>
    private var line = 1

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    /// The next entry that has words; `nil` at the end.
    ///
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``.
    mutating func next() throws(ReverseZoneError) -> Entry? {
        while let first = bytes.first {
            let (start, continuesOwner) = (line, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"))
            let words = try entry()
            if !words.isEmpty { return Entry(line: start, continuesOwner: continuesOwner, words: words) }
        }
        return nil
    }

    private mutating func entry() throws(ReverseZoneError) -> [String] {
        var (words, word, depth) = ([String](), [UInt8]?.none, 0)
        func flaw(_ reason: String) -> ReverseZoneError { .malformedLine(line, reason) }
        func end() {
            if let word { words.append(String(decoding: word, as: UTF8.self)) }
            word = nil
        }
        func add(_ byte: UInt8) {
            if word == nil { word = [] }
            word?.append(byte)
        }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\n"):
                end()
                line += 1
                if depth == 0 { return words }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): end()
            case UInt8(ascii: ";"):
                end()
                bytes = bytes.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "("):
                end()
                depth += 1
            case UInt8(ascii: ")"):
                end()
                guard depth > 0 else { throw flaw("a ) has no ( before it") }
                depth -= 1
            case UInt8(ascii: "\""):
                word = word ?? []
                guard let close = try quoted() else { throw flaw("a quote is not closed") }
                word?.append(contentsOf: close)
            case UInt8(ascii: "\\"):
                add(byte)
                if let escaped = bytes.popFirst() { add(escaped) }
            default: add(byte)
            }
        }
        guard depth == 0 else { throw flaw("a ( is not closed") }
        end()
        return words
    }

    /// What follows a quotation mark, up to the next; `nil` where its line ends before.
    private mutating func quoted() throws(ReverseZoneError) -> [UInt8]? {
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\n"): return nil
            case UInt8(ascii: "\\"):
                text.append(byte)
                if let escaped = bytes.popFirst() { text.append(escaped) }
            default: text.append(byte)
            }
        }
        return nil
    }
}
