// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A secret in a page that is not swapped out, where the system allows that, and not part of a core dump; erased when it is released.
final class LockedMemory {
    private let page: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Copies a secret of at most a page; returns `nil` where the system has no memory left.
    init?(_ secret: Secret) {
        let size = Int(getpagesize())
        count = secret.withUnsafeBytes(\.count)
        guard count <= size, let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            start != MAP_FAILED
        else { return nil }
        page = UnsafeMutableRawBufferPointer(start: start, count: size)
        mlock(start, size)
        #if !canImport(Darwin)
            madvise(start, size, MADV_DONTDUMP)
        #endif
        secret.withUnsafeBytes { page.copyMemory(from: $0) }
    }

    deinit {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        munmap(page.baseAddress, page.count)
    }

    /// A copy.
    var secret: Secret { Secret(utf8: Array(page.prefix(count))) }
}
