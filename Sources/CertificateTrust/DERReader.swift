// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Steps over the elements of DER without building a tree (X.690 section 8.1), for what the typed parser does not show.
struct DERReader {
    struct Element {
        let tag: UInt8
        /// Tag, length and content.
        let bytes: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// - Returns: The next element; `nil` at the end, and where the bytes are no DER with a tag of one byte.
    mutating func next() -> Element? {
        var reader = rest
        guard let tag = reader.popFirst(), tag & 0x1f != 0x1f, let first = reader.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard (0x81...0x83).contains(first), reader.count >= Int(first & 0x7f) else { return nil }
            length = reader.prefix(Int(first & 0x7f)).reduce(0) { $0 << 8 | Int($1) }
            reader = reader.dropFirst(Int(first & 0x7f))
        }
        guard length <= reader.count else { return nil }
        let content = reader.prefix(length)
        defer { rest = rest[content.endIndex...] }
        return Element(tag: tag, bytes: rest[..<content.endIndex], content: content)
    }

    /// Enters an element: a reader of what is in it.
    mutating func enter(_ tag: UInt8) -> DERReader? {
        guard let element = next(), element.tag == tag else { return nil }
        return DERReader(element.content)
    }
}
