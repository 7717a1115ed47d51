// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A small picture, drawn and encoded here (PNG, ISO/IEC 15948) so that the lab carries no files.
enum Image {
    private static let side = 64

    /// A shield of two colours.
    static let png: [UInt8] = {
        let header = bigEndian(side) + bigEndian(side) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", header) + chunk("IDAT", stored(rows())) + chunk("IEND", [])
    }()

    private static func rows() -> [UInt8] {
        (0..<side).flatMap { y in [0] + (0..<side).flatMap { x in pixel(x, y) } }
    }

    private static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let width = y < side / 2 ? side - 16 : side - 16 - (y - side / 2) * 3 / 2
        guard abs(2 * x - side) < width, (6..<side - 6).contains(y) else { return [250, 250, 250] }
        return (x < side / 2) == (y < side / 2) ? [24, 90, 157] : [67, 206, 162]
    }

    /// A zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let lengths = [length, ~length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return [0x78, 0x01, 0x01] + lengths + bytes + bigEndian(Int(b << 16 | a))
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        let checksum = body.reduce(UInt32.max) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
        return bigEndian(data.count) + body + bigEndian(Int(~checksum))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
