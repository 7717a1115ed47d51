// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The checksum of IP, TCP and UDP (RFC 1071): the one's complement sum of 16-bit words.
///
/// Words are added in memory byte order, which gives the sum in memory byte order (RFC 1071 section 2 (B)).
struct InternetChecksum {
    private var sum: UInt64 = 0

    /// Adds bytes; only the last addition may have an odd length.
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

    /// Adds a 16-bit number, such as a length.
    mutating func add(_ number: Int) { sum &+= UInt64(UInt16(truncatingIfNeeded: number).bigEndian) }

    private mutating func add(folded value: UInt64) { sum &+= (value & 0xFFFF_FFFF) &+ (value >> 32) }

    /// The sum folded to 16 bits, in memory byte order.
    var folded: UInt16 {
        var value = sum
        while value > 0xFFFF { value = (value & 0xFFFF) &+ (value >> 16) }
        return UInt16(truncatingIfNeeded: value)
    }

    /// The checksum for a header, in memory byte order.
    var checksum: UInt16 { ~folded }
}

extension InternetChecksum {
    /// Updates a checksum for one changed word (RFC 1624); all values are in memory byte order.
    static func update(_ checksum: UInt16, from old: UInt16, to new: UInt16) -> UInt16 {
        var changed = InternetChecksum()
        changed.sum = UInt64(~checksum) + UInt64(~old) + UInt64(new)
        return changed.checksum
    }
}
