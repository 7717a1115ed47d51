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
        guard rest.count >= 2 else { return nil }
        let (tag, first) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
        guard tag & 0x1f != 0x1f else { return nil }
        var (start, length) = (rest.startIndex + 2, first)
        if first >= 0x80 {
            let size = first & 0x7f
            guard (1...4).contains(size), rest.endIndex - start >= size else { return nil }
            length = rest[start..<start + size].reduce(0) { $0 << 8 | Int($1) }
            start += size
            // In as few octets as it takes (section 10.1).
            guard length >= 0x80, length >> (8 * (size - 1)) != 0 else { return nil }
        }
        guard length <= rest.endIndex - start else { return nil }
        let end = start + length
        defer { rest = rest[end...] }
        return Element(tag: tag, bytes: rest[..<end], content: rest[start..<end])
    }

    /// Enters an element: a reader of what is in it.
    mutating func enter(_ tag: UInt8) -> DERReader? {
        guard let element = next(), element.tag == tag else { return nil }
        return DERReader(element.content)
    }
}
