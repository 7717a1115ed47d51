// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// Bytes decoded as text.
///
/// Each invalid byte appears as `\x{e9}`, so that no byte is lost or mistaken for a character that was sent.
package struct DecodedText: Hashable, Sendable {
    package private(set) var text = ""
    /// The offset ranges of the invalid bytes.
    package private(set) var invalidRanges: [Range<Int>] = []

    /// Decodes UTF-8.
    package init(utf8 bytes: [UInt8]) { read(bytes, as: UTF8.self, bytes, width: 1) }

    /// Decodes UTF-16.
    package init(utf16 bytes: [UInt8], isLittleEndian: Bool) {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        read(units, as: UTF16.self, bytes, width: 2)
        guard bytes.count % 2 == 1, let last = bytes.last else { return }
        text += Self.escape([last])
        invalidRanges.append((bytes.count - 1)..<bytes.count)
    }

    /// Drops invalid bytes at the end, if truncation may have split a character.
    package mutating func dropSplitCharacter(of byteCount: Int) {
        guard let last = invalidRanges.last, last.upperBound == byteCount, last.count < 4 else { return }
        text.removeLast(last.count * Self.escape([0]).count)
        invalidRanges.removeLast()
    }

    private mutating func read<Encoding: Unicode.Encoding>(
        _ units: [Encoding.CodeUnit], as encoding: Encoding.Type, _ bytes: [UInt8], width: Int
    ) {
        var (scalars, index) = (String.UnicodeScalarView(), 0)
        var (parser, iterator) = (Encoding.ForwardParser(), units.makeIterator())
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                scalars.append(Encoding.decode(encoded))
                index += encoded.count * width
            case .error(let length):
                let range = index..<(index + length * width)
                scalars.append(contentsOf: Self.escape(bytes[range]).unicodeScalars)
                invalidRanges.append(range)
                index = range.upperBound
            case .emptyInput:
                text = String(scalars)
                return
            }
        }
    }

    private static func escape(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { "\\x{" + Hexadecimal.encode([$0]) + "}" }.joined()
    }
}
