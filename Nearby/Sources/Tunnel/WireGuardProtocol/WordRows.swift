// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension SIMD4<UInt32> {
    /// Returns the lanes rotated towards the first one.
    @inline(__always) func rotated(by count: Int) -> Self {
        Self(self[count & 3], self[(count + 1) & 3], self[(count + 2) & 3], self[(count + 3) & 3])
    }

    /// Returns each lane with its bits rotated right.
    @inline(__always) func turnedRight(_ count: UInt32) -> Self { self &>> count | self &<< (32 - count) }
}

extension SIMD where Scalar == UInt32 {
    /// Converts lanes that were loaded in little-endian order.
    @inline(__always) init(littleEndian other: Self) {
        #if _endian(little)
            self = other
        #else
            self.init()
            for index in indices { self[index] = Scalar(littleEndian: other[index]) }
        #endif
    }
}
