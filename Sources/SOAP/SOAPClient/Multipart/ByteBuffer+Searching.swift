// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

import NIOCore

extension ByteBuffer {
    /// The offset from the first unread byte at which a byte stands; `nil` where it does not.
    func unreadOffset(of byte: UInt8, from offset: Int) -> Int? {
        withUnsafeReadableBytes { bytes in
            guard offset < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + offset, CInt(byte), bytes.count - offset).map { UnsafeRawPointer($0) - base }
        }
    }

    /// The byte at an offset from the first unread one.
    func unreadByte(at offset: Int) -> UInt8? {
        getInteger(at: readerIndex + offset)
    }
}
