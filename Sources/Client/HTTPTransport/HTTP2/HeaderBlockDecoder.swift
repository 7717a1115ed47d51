// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK

/// A decoder of a connection's header blocks (RFC 7541).
///
/// NIOHPACK (1.46) stores names and values as strings. A byte that is not UTF-8 becomes U+FFFD, which counts as three
/// bytes of its entry's size (RFC 7541 section 4.1), so a table of the announced size would evict entries that the
/// server still references. Therefore the table is three times as large. It then contains all entries of the server's
/// table, and possibly older ones, which change no index.
struct HeaderBlockDecoder {
    /// The size of the server's table, in bytes; SETTINGS_HEADER_TABLE_SIZE keeps its default.
    private static let tableSize = 4_096

    /// The UTF-8 length of U+FFFD.
    private static let expansionFactor = 3

    private var hpack: HPACKDecoder

    /// Creates a decoder.
    ///
    /// - Parameter headLimit: The maximum size of a header list, in bytes (RFC 9113 section 6.5.2).
    init(headLimit: Int) {
        hpack = HPACKDecoder(
            allocator: ByteBufferAllocator(), maxDynamicTableSize: Self.expansionFactor * Self.tableSize,
            maxHeaderListSize: headLimit)
    }

    /// Decodes a header block; after an error the tables of client and server differ, so the connection is unusable.
    mutating func decode(_ block: inout ByteBuffer) throws(HTTP2ConnectionError) -> HPACKHeaders {
        try Self.enlargeTableSizes(in: &block)
        do {
            return try hpack.decodeHeaders(from: &block)
        } catch is NIOHPACKErrors.MaxHeaderListSizeViolation {
            throw .headTooLarge
        } catch {
            throw .violation(.compressionError)
        }
    }

    /// Enlarges the dynamic table size updates at the start of a block (RFC 7541 section 6.3).
    private static func enlargeTableSizes(in block: inout ByteBuffer) throws(HTTP2ConnectionError) {
        guard block.beginsWithTableSize else { return }
        var enlarged = ByteBuffer()
        while block.beginsWithTableSize {
            guard let size = block.readTableSize(), size <= tableSize else { throw .violation(.compressionError) }
            enlarged.writeTableSize(expansionFactor * size)
        }
        enlarged.writeImmutableBuffer(block)
        block = enlarged
    }
}

/// Reading and writing of integers after the prefix 001 (RFC 7541 section 5.1).
extension ByteBuffer {
    private static let pattern: UInt8 = 0x20
    private static let mask: UInt8 = 0x1f

    fileprivate var beginsWithTableSize: Bool {
        guard let first = getInteger(at: readerIndex, as: UInt8.self) else { return false }
        return first & ~Self.mask == Self.pattern
    }

    /// Reads the integer; the result is `nil` if it is truncated or longer than any size needs.
    fileprivate mutating func readTableSize() -> Int? {
        guard let first = readInteger(as: UInt8.self) else { return nil }
        var size = Int(first & Self.mask)
        guard size == Self.mask else { return size }
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = readInteger(as: UInt8.self) else { return nil }
            size += Int(byte & 0x7f) << shift
            if byte < 0x80 { return size }
        }
        return nil
    }

    fileprivate mutating func writeTableSize(_ size: Int) {
        guard size >= Self.mask else {
            writeInteger(Self.pattern | UInt8(truncatingIfNeeded: size))
            return
        }
        writeInteger(Self.pattern | Self.mask)
        var rest = size - Int(Self.mask)
        while rest >= 0x80 {
            writeInteger(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        writeInteger(UInt8(truncatingIfNeeded: rest))
    }
}
