// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension UnsafeRawBufferPointer {
    /// The first place of a byte at an offset or behind it.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Whether these are the same bytes.
    func isEqual(to other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let isEqual = other.withContiguousStorageIfAvailable { other in
            guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
            return memcmp(base, otherBase, count) == 0
        }
        return isEqual ?? elementsEqual(other)
    }
}
