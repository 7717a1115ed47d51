// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The checksum of IP, TCP and UDP (RFC 1071): the sum of 16-bit words in one's complement.
///
/// Words are added as they lie in memory, which gives the sum as it lies in memory (RFC 1071 section 2 (B)).
struct InternetChecksum {
    private var sum: UInt64 = 0

    /// Adds bytes; only the last ones added may be odd in number.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard var pointer = bytes.baseAddress else { return }
        var (low, high): (UInt64, UInt64) = (0, 0)
        let words = bytes.count / 8
        for index in 0..<words {
            let word = pointer.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
            low &+= word & 0xFFFF_FFFF
            high &+= word >> 32
        }
        pointer += words &* 8
        var rest = bytes.count &- words &* 8
        while rest >= 2 {
            low &+= UInt64(pointer.loadUnaligned(as: UInt16.self))
            pointer += 2
            rest &-= 2
        }
        if rest == 1 { low &+= UInt64(UInt16(pointer.load(as: UInt8.self)).littleEndian) }
        add(folded: low)
        add(folded: high)
    }

    /// Adds a number of 16 bits, such as a length.
    mutating func add(_ number: Int) { sum &+= UInt64(UInt16(truncatingIfNeeded: number).bigEndian) }

    private mutating func add(folded value: UInt64) { sum &+= (value & 0xFFFF_FFFF) &+ (value >> 32) }

    /// The sum in 16 bits, in memory order.
    var folded: UInt16 {
        var value = sum
        while value > 0xFFFF { value = (value & 0xFFFF) &+ (value >> 16) }
        return UInt16(truncatingIfNeeded: value)
    }

    /// The checksum that stands in a header, in memory order.
    var checksum: UInt16 { ~folded }
}

extension InternetChecksum {
    /// Changes a checksum for one word of what it covers (RFC 1624), all in memory order.
    static func update(_ checksum: UInt16, from old: UInt16, to new: UInt16) -> UInt16 {
        var changed = InternetChecksum()
        changed.sum = UInt64(~checksum) + UInt64(~old) + UInt64(new)
        return changed.checksum
    }
}
