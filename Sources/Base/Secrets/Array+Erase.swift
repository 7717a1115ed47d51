// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Kept out of line so that the compiler does not remove it as a store without a reader.

extension Array where Element: FixedWidthInteger {
    /// Overwrites what was secret.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = 0 }
    }
}

extension [Unicode.Scalar] {
    /// Overwrites what was secret.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = "\0" }
    }
}
