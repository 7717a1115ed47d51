// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
package import X509

/// A distinguished name in a canonical form for comparison (RFC 5280 section 7.1, RFC 4518): it ignores case, superfluous
/// spaces, the string type, and the order of the attributes of one relative name.
///
/// Letters outside ASCII are compared exactly.
package struct NameKey: Hashable, Sendable {
    /// A separator that no text contains, so that one value cannot imitate two.
    private static let end: UInt8 = 0xff

    private(set) var bytes: [UInt8] = []

    /// - Parameter name: The encoded name, with tag and length; an unreadable name is compared by its bytes.
    init(_ name: ArraySlice<UInt8>) {
        var outer = DERReader(name)
        guard var names = outer.enter(DERTag.sequence) else {
            bytes = Array(name)
            return
        }
        bytes.reserveCapacity(name.count)
        while let relative = names.next() { append(relative: relative) }
        // The bytes that could not be parsed still belong to the name.
        bytes += names.rest
    }

    /// Makes the key of a parsed name.
    package init(_ name: DistinguishedName) {
        var serializer = DER.Serializer()
        // Serializing a parsed name cannot fail.
        try? serializer.serialize(name)
        self.init(serializer.serializedBytes[...])
    }

    /// Makes the key of one relative name.
    private init(relative: DERReader.Element) { append(relative: relative) }

    var isEmpty: Bool { bytes.isEmpty }

    // Hashing the bytes at once takes a tenth of the time of hashing the array element by element.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// A relative name in the canonical form.
    struct Relative {
        /// The key; `nil` if a text has replacement characters, which stand for different octets.
        let key: NameKey?
        /// Whether every value is a text, so that another key means another name.
        let isText: Bool
    }

    /// Returns the relative names of a name, the first one first.
    static func relativeNames(of name: DistinguishedName) -> [Relative] {
        var serializer = DER.Serializer()
        // Serializing a parsed name cannot fail.
        try? serializer.serialize(name)
        return relativeNames(of: serializer.serializedBytes[...])
    }

    /// Returns the relative names of an encoded name, the first one first.
    static func relativeNames(of name: ArraySlice<UInt8>) -> [Relative] {
        var outer = DERReader(name)
        guard var names = outer.enter(DERTag.sequence) else { return [] }
        var relativeNames: [Relative] = []
        while let relative = names.next() {
            var (attributes, isText, isReplaced) = (DERReader(relative.content), true, false)
            while let attribute = attributes.next() {
                var parts = DERReader(attribute.content)
                _ = parts.next()
                guard let text = parts.next()?.text else {
                    isText = false
                    continue
                }
                if text.unicodeScalars.contains("\u{fffd}") { isReplaced = true }
            }
            relativeNames.append(
                Relative(key: isReplaced ? nil : NameKey(relative: relative), isText: isText && !isReplaced))
        }
        return relativeNames
    }

    private mutating func append(relative: DERReader.Element) {
        let start = bytes.count
        var (attributes, starts) = (DERReader(relative.content), [Int]())
        while let attribute = attributes.next() {
            if bytes.count > start { starts.append(bytes.count) }
            append(attribute)
        }
        // The encoding sorts the attributes, but by their lengths and string types too.
        if !starts.isEmpty {
            let bounds = [start] + starts + [bytes.count]
            let parts = zip(bounds, bounds.dropFirst()).map { Array(bytes[$0..<$1]) }
            bytes.replaceSubrange(start..., with: parts.sorted { $0.lexicographicallyPrecedes($1) }.joined())
        }
        bytes.append(relative.tag)
    }

    private mutating func append(_ attribute: DERReader.Element) {
        var parts = DERReader(attribute.content)
        guard let type = parts.next(), let value = parts.next(), parts.rest.isEmpty else {
            bytes += attribute.bytes
            return
        }
        let isPlain = value.tag == DERTag.utf8String || value.tag == DERTag.printableString
        if isPlain, value.content.allSatisfy({ $0 < 0x80 }) {
            append(type, value.content)
        } else if let text = value.utf8Text {
            append(type, text[...])
        } else {
            bytes += attribute.bytes
        }
    }

    private mutating func append(_ type: DERReader.Element, _ text: ArraySlice<UInt8>) {
        bytes += type.bytes
        bytes.append(DERTag.utf8String)
        appendFolded(text)
        bytes.append(Self.end)
    }

    private mutating func appendFolded(_ text: ArraySlice<UInt8>) {
        var (isSpaced, isStarted) = (false, false)
        for byte in text {
            if byte == UInt8(ascii: " ") {
                isSpaced = isStarted
                continue
            }
            if isSpaced { bytes.append(UInt8(ascii: " ")) }
            (isSpaced, isStarted) = (false, true)
            bytes.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
    }
}
