// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Base64 (RFC 4648 section 4) as XML Schema has it (Part 2 section 3.2.16).
enum XMLBase64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The values of the digits; 64 for white space, 65 for the padding, 255 for any other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        for space in [0x20, 9, 10, 13] { values[space] = 64 }
        values[Int(UInt8(ascii: "="))] = 65
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let count = (bytes.count + 2) / 3 * 4
        return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
            digits.withUnsafeBufferPointer { digits in
                var output = 0
                for start in stride(from: 0, to: bytes.count, by: 3) {
                    let rest = bytes.count - start
                    let group =
                        UInt32(bytes[start]) << 16 | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                        | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
                    buffer[output] = digits[Int(group >> 18)]
                    buffer[output + 1] = digits[Int(group >> 12 & 63)]
                    buffer[output + 2] = rest > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "=")
                    buffer[output + 3] = rest > 2 ? digits[Int(group & 63)] : UInt8(ascii: "=")
                    output += 4
                }
            }
            initialized = count
        }
    }

    /// The bytes of a text; `nil` where it is no Base64.
    ///
    /// Padding is required, and the bits after the last byte are zero.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        var isValid = false
        let bytes = text.withUTF8 { text in
            [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { buffer, initialized in
                let count = values.withUnsafeBufferPointer { decode(text, into: buffer, values: $0) }
                isValid = count != nil
                initialized = count ?? 0
            }
        }
        return isValid ? bytes : nil
    }

    /// Decodes a text into a buffer that has room for three bytes of each four digits, and three more.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>,
        values: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var (group, digits, padding, output): (UInt32, Int, Int, Int) = (0, 0, 0, 0)
        for byte in text {
            let value = values[Int(byte)]
            switch value {
            case 0..<64 where padding == 0:
                group = group << 6 | UInt32(value)
                digits += 1
                guard digits == 4 else { continue }
                buffer[output] = UInt8(truncatingIfNeeded: group >> 16)
                buffer[output + 1] = UInt8(truncatingIfNeeded: group >> 8)
                buffer[output + 2] = UInt8(truncatingIfNeeded: group)
                (group, digits, output) = (0, 0, output + 3)
            case 64: continue
            case 65: padding += 1
            default: return nil
            }
        }
        switch (digits, padding) {
        case (0, 0): return output
        case (2, 2) where group & 0xF == 0:
            buffer[output] = UInt8(truncatingIfNeeded: group >> 4)
            return output + 1
        case (3, 1) where group & 0x3 == 0:
            buffer[output] = UInt8(truncatingIfNeeded: group >> 10)
            buffer[output + 1] = UInt8(truncatingIfNeeded: group >> 2)
            return output + 2
        default: return nil
        }
    }
}
