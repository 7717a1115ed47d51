// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// Reading that refuses what is not there, and what is left over.
extension DERReader {
    typealias Part = RevocationEncodingError.Part

    @inline(__always)
    mutating func take(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Element {
        guard let element = next(), element.tag == tag else { throw .malformed(part) }
        return element
    }

    /// - Returns: `nil` where the next element is another one.
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

    /// The one element that there is to be.
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

    /// The octets of an integer, which are as few as it takes (X.690 section 8.3.2).
    mutating func takeInteger(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        let content = try take(tag, part).content
        guard let first = content.first else { throw .malformed(part) }
        guard let second = content.dropFirst().first else { return content }
        let isPadded = (first == 0 && second < 0x80) || (first == 0xff && second >= 0x80)
        guard !isPadded else { throw .malformed(part) }
        return content
    }

    /// A truth value whose default is false, which DER therefore never says (X.690 sections 11.1 and 11.5).
    mutating func takeFlag(_ tag: UInt8, _ part: Part) throws(RevocationEncodingError) -> Bool {
        guard let content = try takeIfPresent(tag, part)?.content else { return false }
        guard content.elementsEqual([0xff]) else { throw .malformed(part) }
        return true
    }
}

extension DERParseable {
    /// Reads a part that has a separate type.
    init(_ bytes: ArraySlice<UInt8>, _ part: RevocationEncodingError.Part) throws(RevocationEncodingError) {
        do {
            try self.init(derEncoded: bytes)
        } catch {
            throw .malformed(part)
        }
    }
}
