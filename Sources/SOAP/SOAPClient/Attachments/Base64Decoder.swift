// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Decodes base64 in pieces; line breaks and blanks between the characters do not count (RFC 2045 section 6.8).
struct Base64Decoder {
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        for blank in [0x09, 0x0A, 0x0D, 0x20] { values[blank] = 0xFE }
        values[Int(UInt8(ascii: "="))] = 0xFD
        return values
    }()

    private var bits: UInt32 = 0
    /// How many characters of a group of four came.
    private var count = 0
    private var padding = 0

    /// Whether no group is left open.
    var isComplete: Bool { count == 0 }

    /// - Returns: `nil` where a character is not allowed where it stands.
    mutating func decode(_ characters: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(characters.underestimatedCount / 4 * 3 + 3)
        let values = Self.values
        for character in characters {
            let value = values[Int(character)]
            if value == 0xFE { continue }
            guard value != 0xFF, value == 0xFD ? count >= 2 : padding == 0 else { return nil }
            if value == 0xFD { padding += 1 }
            bits = bits << 6 | UInt32(value == 0xFD ? 0 : value)
            count += 1
            guard count == 4 else { continue }
            decoded.append(UInt8(truncatingIfNeeded: bits >> 16))
            if padding < 2 { decoded.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            if padding < 1 { decoded.append(UInt8(truncatingIfNeeded: bits)) }
            (bits, count) = (0, 0)
        }
        return decoded
    }
}
