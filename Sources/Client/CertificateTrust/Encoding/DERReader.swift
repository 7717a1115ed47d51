// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Steps over the elements of DER without building a tree (X.690 section 8.1), for what the typed parser does not show.
///
/// Its steps are inlined, because every call that passes an element on counts references, which takes longer than the step.
struct DERReader {
    /// An element by its place in the bytes that are read, so that nothing is copied for a part that is not asked for.
    struct Element: Sendable {
        let tag: UInt8
        private let bytesRead: ArraySlice<UInt8>
        private let start: Int
        private let contentStart: Int
        private let end: Int

        fileprivate init(tag: UInt8, in bytesRead: ArraySlice<UInt8>, _ start: Int, _ contentStart: Int, _ end: Int) {
            (self.tag, self.bytesRead) = (tag, bytesRead)
            (self.start, self.contentStart, self.end) = (start, contentStart, end)
        }

        /// Tag, length and content.
        @inline(__always)
        var bytes: ArraySlice<UInt8> { bytesRead[start..<end] }
        @inline(__always)
        var content: ArraySlice<UInt8> { bytesRead[contentStart..<end] }
        var isConstructed: Bool { tag & 0x20 != 0 }
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    @inline(__always)
    init(_ bytes: ArraySlice<UInt8>) {
        (self.bytes, position) = (bytes, bytes.startIndex)
    }

    /// What was not stepped over.
    @inline(__always)
    var rest: ArraySlice<UInt8> { bytes[position...] }

    @inline(__always)
    var isAtEnd: Bool { position == bytes.endIndex }

    /// The tag of the next element; `nil` at the end.
    @inline(__always)
    var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// - Returns: The next element; `nil` at the end, and where the bytes are no DER with a tag of one byte.
    @inline(__always)
    mutating func next() -> Element? {
        let limit = bytes.endIndex
        guard limit - position >= 2 else { return nil }
        let (tag, first) = (bytes[position], Int(bytes[position + 1]))
        guard tag & 0x1f != 0x1f else { return nil }
        var (start, length) = (position + 2, first)
        if first >= 0x80 {
            let size = first & 0x7f
            guard (1...4).contains(size), limit - start >= size else { return nil }
            length = 0
            for index in start..<start + size { length = length << 8 | Int(bytes[index]) }
            start += size
            // In as few octets as it takes (section 10.1).
            guard length >= 0x80, length >> (8 * (size - 1)) != 0 else { return nil }
        }
        guard length <= limit - start else { return nil }
        defer { position = start + length }
        return Element(tag: tag, in: bytes, position, start, start + length)
    }

    /// Enters an element: a reader of what is in it.
    @inline(__always)
    mutating func enter(_ tag: UInt8) -> DERReader? {
        guard let element = next(), element.tag == tag else { return nil }
        return DERReader(element.content)
    }
}
