// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// A reader of DER elements that builds no tree (X.690 section 8.1), for data that swift-certificates does not expose.
///
/// The methods are inlined, because each call that passes an element retains and releases its buffer, which takes
/// longer than reading the element.
struct DERReader {
    /// An element as positions in the input, so that unused parts are not copied.
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

        /// The element with tag, length and content.
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

    /// The bytes that were not read yet.
    @inline(__always)
    var rest: ArraySlice<UInt8> { bytes[position...] }

    @inline(__always)
    var isAtEnd: Bool { position == bytes.endIndex }

    /// The tag of the next element; `nil` at the end.
    @inline(__always)
    var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// - Returns: The next element; `nil` at the end, and if the bytes are not DER with a one-byte tag.
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
            // DER requires the minimum number of length octets (section 10.1).
            guard length >= 0x80, length >> (8 * (size - 1)) != 0 else { return nil }
        }
        guard length <= limit - start else { return nil }
        defer { position = start + length }
        return Element(tag: tag, in: bytes, position, start, start + length)
    }

    /// Reads an element and returns a reader of its content.
    @inline(__always)
    mutating func enter(_ tag: UInt8) -> DERReader? {
        guard let element = next(), element.tag == tag else { return nil }
        return DERReader(element.content)
    }
}

/// The DER identifier octets (X.690 section 8.1.2).
enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let enumerated: UInt8 = 0x0a
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }
    static func constructed(_ number: UInt8) -> UInt8 { 0xa0 | number }
}

/// Strict reading, which throws if an element is missing or data remains.
extension DERReader {
    typealias Part = RevocationEncodingError.Part

    @inline(__always)
    mutating func take(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Element {
        guard let element = next(), element.tag == tag else { throw .malformed(part) }
        return element
    }

    /// - Returns: The next element; `nil` if it has another tag.
    @inline(__always)
    mutating func takeIfPresent(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Element? {
        guard rest.first == tag else { return nil }
        return try take(tag, part)
    }

    @inline(__always)
    mutating func open(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> DERReader {
        DERReader(try take(tag, part).content)
    }

    @inline(__always)
    mutating func openIfPresent(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> DERReader? {
        try takeIfPresent(tag, part).map { DERReader($0.content) }
    }

    /// Reads an element that must be the last one.
    @inline(__always)
    mutating func only(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Element {
        let element = try take(tag, part)
        try finish(part)
        return element
    }

    @inline(__always)
    func finish(_ part: Part) throws(RevocationEncodingError) {
        guard rest.isEmpty else { throw .malformed(part) }
    }

    /// Reads the content octets of an integer, which must be in the minimum number (X.690 section 8.3.2).
    mutating func takeInteger(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        let content = try take(tag, part).content
        guard let first = content.first else { throw .malformed(part) }
        guard let second = content.dropFirst().first else { return content }
        let isPadded = (first == 0 && second < 0x80) || (first == 0xff && second >= 0x80)
        guard !isPadded else { throw .malformed(part) }
        return content
    }

    /// Reads a boolean that defaults to false, so that DER never encodes false (X.690 sections 11.1 and 11.5).
    mutating func takeFlag(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Bool {
        guard let content = try takeIfPresent(tag, part)?.content else { return false }
        guard content.elementsEqual([0xff]) else { throw .malformed(part) }
        return true
    }
}

extension DERReader {
    /// Reads a boolean that defaults to false as BER (X.690 section 8.2), and notes any other encoding than that of DER.
    mutating func takeFlag(
        _ tag: UInt8, _ part: Part, _ deviations: inout EncodingDeviations
    ) throws(RevocationEncodingError) -> Bool {
        guard let content = try takeIfPresent(tag, part)?.content else { return false }
        guard let octet = content.first, content.count == 1 else { throw .malformed(part) }
        if octet != 0xff { deviations.insert(.canonicalEncoding) }
        return octet != 0
    }
}

extension DERParseable {
    /// Parses a part with a swift-asn1 type.
    init(_ bytes: ArraySlice<UInt8>, _ part: RevocationEncodingError.Part) throws(RevocationEncodingError) {
        do {
            try self.init(derEncoded: bytes)
        } catch {
            throw .malformed(part)
        }
    }
}
