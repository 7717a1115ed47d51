// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A search for the end of a picture in its file, by the structure of the format.
///
/// A decoder may need only the beginning, or the first of several pictures, and so accept a truncated file. Bytes after
/// the end do not matter. For other formats, the decoder itself finds the end.
struct PictureCompleteness {
    private let bytes: [UInt8]

    /// Returns whether the file contains the end of the picture.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - format: The libvips name of the loader.
    /// - Returns: Whether the end was found, or the format is not supported here.
    static func isComplete(in bytes: [UInt8], format: String) -> Bool {
        let file = PictureCompleteness(bytes: bytes)
        return switch format {
        case "jpegload": file.hasEndOfJPEG
        case "pngload": file.hasEndOfPNG
        case "gifload": file.hasEndOfGIF
        case "tiffload": file.hasEndOfTIFF
        default: true
        }
    }

    /// Whether the EOI marker follows the last scan (ITU-T T.81 section B.1).
    private var hasEndOfJPEG: Bool {
        var (index, isInScan) = (2, false)
        while let (marker, end) = marker(from: index, isInScan) {
            switch marker {
            case 0xD9: return true
            // RST and TEM have no length.
            case 0x01, 0xD0...0xD7: index = end
            default:
                guard let length = number(at: end, count: 2) else { return false }
                (index, isInScan) = (end + length, marker == 0xDA)
            }
        }
        return false
    }

    /// Returns the next marker and its end; within a scan, entropy-coded data is skipped.
    private func marker(from start: Int, _ isInScan: Bool) -> (UInt8, end: Int)? {
        var index = start
        while index + 1 < bytes.count {
            // In a scan, a 0xFF byte of the data is followed by 0; a marker may be preceded by fill bytes.
            if bytes[index] == 0xFF, bytes[index + 1] != 0xFF, !isInScan || bytes[index + 1] != 0 {
                return (bytes[index + 1], index + 2)
            }
            index += 1
        }
        return nil
    }

    /// Whether there is an IEND chunk (PNG section 11.2.5).
    private var hasEndOfPNG: Bool {
        var index = 8
        while let length = number(at: index, count: 4), index + 12 + length <= bytes.count {
            if bytes[(index + 4)..<(index + 8)].elementsEqual("IEND".utf8) { return true }
            index += 12 + length
        }
        return false
    }

    /// Whether the trailer follows the last block (GIF89a section 27), or the file ends with a complete picture: some
    /// programs omit the trailer.
    private var hasEndOfGIF: Bool {
        guard let flags = number(at: 10, count: 1) else { return false }
        var (index, endsWithPicture) = (13 + Self.colorTableSize(flags), false)
        while let block = number(at: index, count: 1) {
            switch block {
            case 0x3B: return true
            case 0x21: (index, endsWithPicture) = (endOfSubBlocks(from: index + 2), false)
            case 0x2C:
                guard let flags = number(at: index + 9, count: 1) else { return false }
                // The code size precedes the blocks of the picture.
                (index, endsWithPicture) = (endOfSubBlocks(from: index + 11 + Self.colorTableSize(flags)), true)
            // Some programs insert padding between blocks.
            case 0: index += 1
            default: return false
            }
        }
        return endsWithPicture && index == bytes.count
    }

    private static func colorTableSize(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1) }

    private func endOfSubBlocks(from start: Int) -> Int {
        var index = start
        while let length = number(at: index, count: 1), length > 0 { index += 1 + length }
        return index + 1
    }

    /// Whether the file contains each directory and the data that it refers to (TIFF 6.0 section 2, and BigTIFF).
    private var hasEndOfTIFF: Bool {
        let isBig = number(at: 2, count: 2, isLittle) == 43
        let (width, entrySize, countSize) = isBig ? (8, 20, 8) : (4, 12, 2)
        guard var index = number(at: isBig ? 8 : 4, count: width, isLittle) else { return false }
        // Limits the work for directories and values that refer to each other:
        // a valid file has fewer of them than bytes.
        var budget = bytes.count
        while index > 0 {
            guard let count = number(at: index, count: countSize, isLittle), count < budget else { return false }
            budget -= count + 1
            let end = index + countSize + count * entrySize
            guard let next = number(at: end, count: width, isLittle),
                isRead(index + countSize, count, isBig, &budget)
            else { return false }
            index = next
        }
        return true
    }

    private var isLittle: Bool { bytes.first == UInt8(ascii: "I") }

    /// The sizes of the value types.
    private static let valueSizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]

    /// Returns whether the file contains the values of a directory's entries,
    /// and the strips or tiles that they refer to.
    private func isRead(_ start: Int, _ count: Int, _ isBig: Bool, _ budget: inout Int) -> Bool {
        let (width, entrySize) = isBig ? (8, 20) : (4, 12)
        var (places, lengths) = ([Int](), [Int]())
        for entry in 0..<count {
            let index = start + entry * entrySize
            guard let tag = number(at: index, count: 2, isLittle), let type = number(at: index + 2, count: 2, isLittle),
                let count = number(at: index + 4, count: width, isLittle), count <= bytes.count
            else { return false }
            guard let size = Self.valueSizes[type] else { continue }
            // Values that fit into the entry are stored there.
            let place = index + 4 + width
            guard let start = count * size <= width ? place : number(at: place, count: width, isLittle),
                start <= bytes.count - count * size
            else { return false }
            guard [273, 279, 324, 325].contains(tag) else { continue }
            budget -= count
            guard budget > 0 else { return false }
            let values = (0..<count).compactMap { number(at: start + $0 * size, count: size, isLittle) }
            guard values.count == count else { return false }
            if tag == 273 || tag == 324 { places = values } else { lengths = values }
        }
        return zip(places, lengths).allSatisfy { $0 <= bytes.count && $1 <= bytes.count - $0 }
    }

    /// Returns an integer of a number of bytes, or `nil` beyond the end of the file, and for a value that is too large
    /// for any file.
    private func number(at index: Int, count: Int, _ isLittle: Bool = false) -> Int? {
        guard index >= 0, index <= bytes.count - count else { return nil }
        var value: UInt64 = 0
        for offset in 0..<count {
            value = value << 8 | UInt64(bytes[isLittle ? index + count - 1 - offset : index + offset])
        }
        return value > Int64.max / 2 ? nil : Int(value)
    }
}
