// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CZlib
import Testing

/// Bodies that the zlib library has compressed.
enum Deflated {
    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] { try deflate(bytes, windowBits: 31) }
    static func zlib(_ bytes: [UInt8]) throws -> [UInt8] { try deflate(bytes, windowBits: 15) }
    static func raw(_ bytes: [UInt8]) throws -> [UInt8] { try deflate(bytes, windowBits: -15) }

    private static func deflate(_ bytes: [UInt8], windowBits: Int32) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(
            deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
        defer { deflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64))
        let (status, count) = withUnsafeMutablePointer(to: &stream) { stream in
            input.withUnsafeMutableBufferPointer { source in
                output.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_in = source.baseAddress
                    stream.pointee.avail_in = UInt32(source.count)
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    return (CZlib.deflate(stream, Z_FINISH), target.count - Int(stream.pointee.avail_out))
                }
            }
        }
        try #require(status == Z_STREAM_END)
        return Array(output.prefix(count))
    }
}
