// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension UnsafeRawBufferPointer {
    /// Two bytes in network order.
    ///
    /// The caller has checked the length.
    func word(_ offset: Int) -> UInt16 { UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }

    /// Four bytes in network order.
    ///
    /// The caller has checked the length.
    func longWord(_ offset: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }

    /// A part of the bytes.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes two bytes in network order.
    func setWord(_ offset: Int, _ value: UInt16) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Writes four bytes in network order.
    func setLongWord(_ offset: Int, _ value: UInt32) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// A part of the bytes.
    func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[range])
    }
}
