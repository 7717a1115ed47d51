// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bytes as pairs of hexadecimal digits (RFC 4648 section 8).
package enum Hexadecimal {
    /// Returns the digits of bytes, with a separator between the pairs.
    package static func encode(
        _ bytes: some Sequence<UInt8>, uppercase: Bool = false, separator: String = ""
    ) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * (2 + separator.utf8.count))
        for byte in bytes {
            if !text.isEmpty { text += separator.utf8 }
            text.append(digit(byte >> 4, uppercase: uppercase))
            text.append(digit(byte & 15, uppercase: uppercase))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of pairs of digits in either case, or `nil` if the text has another form.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }

    /// Returns the bytes of pairs of digits in ASCII, or `nil` if the text has another form.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        bytes.reserveCapacity(text.underestimatedCount / 2)
        for character in text {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// Returns the value of an ASCII digit in either case; `nil` for every other byte.
    @inlinable package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the ASCII digit of a value from 0 to 15.
    @inlinable package static func digit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : (uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) + value - 10
    }
}

/// Bytes as `%` and two hexadecimal digits (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Returns the bytes as text, escaping those that are not allowed with uppercase digits.
    package static func encode(_ bytes: some Sequence<UInt8>, allowing isAllowed: (UInt8) -> Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isAllowed(byte) {
                text.append(byte)
            } else {
                text += [
                    UInt8(ascii: "%"), Hexadecimal.digit(byte >> 4, uppercase: true),
                    Hexadecimal.digit(byte & 15, uppercase: true),
                ]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text, or `nil` if a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), text.makeIterator())
        bytes.reserveCapacity(text.underestimatedCount)
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns whether a byte is a letter, a digit, or one of `-._~` (RFC 3986 section 2.3, `unreserved`).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
