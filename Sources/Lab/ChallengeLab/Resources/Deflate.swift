// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes small bodies in gzip (RFC 1952) and in zlib's format (RFC 1950), as one stored block each (RFC 1951 section 3.2.4).
enum Deflate {
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + stored(bytes) + bigEndian(checksum(bytes)).reversed()
            + bigEndian(bytes.count).reversed()
    }

    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return [0x78, 0x01] + stored(bytes) + bigEndian(Int(b << 16 | a))
    }

    /// CRC-32 (RFC 1952 section 8).
    static func checksum(_ bytes: [UInt8]) -> Int {
        let checksum = bytes.reduce(UInt32.max) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
        return Int(~checksum)
    }

    static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        let lengths = [length, ~length].flatMap { number -> [UInt8] in [UInt8(number & 0xFF), UInt8(number >> 8)] }
        return [1] + lengths + bytes
    }
}
