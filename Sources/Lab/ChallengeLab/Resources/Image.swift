// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A small picture, drawn and encoded here (PNG, ISO/IEC 15948) so that the lab carries no files.
enum Image {
    private static let side = 64

    /// A shield of two colours.
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
