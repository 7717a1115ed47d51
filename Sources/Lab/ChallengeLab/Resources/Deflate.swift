// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A compressor for small bodies in gzip (RFC 1952) and zlib (RFC 1950) format, with one stored block (RFC 1951
/// section 3.2.4).
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

    /// Returns the CRC-32 checksum (RFC 1952 section 8).
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

/// A small picture, encoded by this code as PNG (ISO/IEC 15948), so that the lab needs no resource files.
enum Image {
    private static let side = 64

    /// The picture of a shield in two colours.
    static let png: [UInt8] = {
        let header = Deflate.bigEndian(side) + Deflate.bigEndian(side) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", header) + chunk("IDAT", Deflate.zlib(rows())) + chunk("IEND", [])
    }()

    private static func rows() -> [UInt8] {
        (0..<side).flatMap { y in [0] + (0..<side).flatMap { x in pixel(x, y) } }
    }

    private static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let width = y < side / 2 ? side - 16 : side - 16 - (y - side / 2) * 3 / 2
        guard abs(2 * x - side) < width, (6..<side - 6).contains(y) else { return [250, 250, 250] }
        return (x < side / 2) == (y < side / 2) ? [24, 90, 157] : [67, 206, 162]
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return Deflate.bigEndian(data.count) + body + Deflate.bigEndian(Deflate.checksum(body))
    }
}
