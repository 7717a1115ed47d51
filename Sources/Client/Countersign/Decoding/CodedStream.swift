// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CZlib
import NIOCore

#if Brotli
    import CBrotli
#endif
#if Zstd
    import CZstd
#endif

/// A stream of coded bytes that is decoded piece by piece.
protocol CodedStream {
    /// Decodes the next piece.
    ///
    /// - Parameters:
    ///   - input: The coded bytes; the decoder consumes the bytes that it uses.
    ///   - capacity: The maximum size of the piece, in bytes.
    /// - Returns: The decoded piece; empty if the input is consumed without output.
    /// - Throws: An error if the input is malformed.
    func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece
}

/// A piece of decoded output.
struct DecodedPiece {
    let output: ByteBuffer
    /// Whether the decoder may produce more output without further input.
    let isFull: Bool
    /// Whether the stream has ended; the remaining input does not belong to it.
    let isLast: Bool
}

/// A zlib stream, which is freed with its owner.
final class DeflateStream: CodedStream {
    /// The wrapper around the deflated data, as the `windowBits` value of zlib.
    enum Wrapper: Int32 {
        /// The gzip format of RFC 1952: 16 more than the largest window.
        case gzip = 31
        /// The zlib format of RFC 1950.
        case zlib = 15
        /// No wrapper (RFC 1951).
        case none = -15
    }

    /// The zlib state, allocated separately because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ wrapper: Wrapper) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // The call fails if there is no memory, or if the zlib library is incompatible with its header.
        precondition(status == Z_OK, "zlib cannot be used: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece {
        var output = ByteBuffer()
        var status = Z_OK
        let used = input.withUnsafeReadableBytes { source in
            let count = min(source.count, Int(UInt32.max))
            // zlib does not write to its input; it declares the pointer const only if a macro requests that.
            let bytes = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = bytes.map { UnsafeMutablePointer(mutating: $0) }
            stream.pointee.avail_in = UInt32(count)
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { target in
                stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(capacity)
                status = inflate(stream, Z_NO_FLUSH)
                return capacity - Int(stream.pointee.avail_out)
            }
            return count - Int(stream.pointee.avail_in)
        }
        input.moveReaderIndex(forwardBy: used)
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else { throw .malformed(.data) }
        return DecodedPiece(
            output: output, isFull: output.readableBytes == capacity && status != Z_STREAM_END,
            isLast: status == Z_STREAM_END)
    }
}

#if Brotli
    /// A Brotli stream (RFC 7932), which is freed with its owner.
    final class BrotliStream: CodedStream {
        private let state: OpaquePointer

        init() {
            guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
                preconditionFailure("not enough memory for Brotli")
            }
            self.state = state
        }

        deinit { BrotliDecoderDestroyInstance(state) }

        func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece {
            var output = ByteBuffer()
            var result = BROTLI_DECODER_RESULT_ERROR
            let used = input.withUnsafeReadableBytes { source in
                var (bytes, count) = (source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count)
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { target in
                    var (cursor, free) = (target.baseAddress?.assumingMemoryBound(to: UInt8.self), capacity)
                    result = BrotliDecoderDecompressStream(state, &count, &bytes, &free, &cursor, nil)
                    return capacity - free
                }
                return source.count - count
            }
            input.moveReaderIndex(forwardBy: used)
            guard result != BROTLI_DECODER_RESULT_ERROR else { throw .malformed(.data) }
            return DecodedPiece(
                output: output, isFull: result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT,
                isLast: result == BROTLI_DECODER_RESULT_SUCCESS)
        }
    }
#endif

#if Zstd
    /// A frame of Zstandard (RFC 8878), whose decoder is freed with its owner.
    final class ZstdStream: CodedStream {
        /// The largest accepted window, as a power of two: 8 MiB, the limit of the content coding (RFC 9659).
        private static let largestWindow: Int32 = 23

        private let context: OpaquePointer
        /// The beginning of the frame, at most its magic number (section 3.1).
        private var magic: [UInt8] = []

        init() {
            guard let context = ZSTD_createDCtx() else { preconditionFailure("not enough memory for Zstandard") }
            self.context = context
            let status = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindow)
            precondition(ZSTD_isError(status) == 0, "zstd cannot be used")
        }

        deinit { ZSTD_freeDCtx(context) }

        func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece {
            let start = magic + input.readableBytesView.prefix(4 - magic.count)
            guard Self.startsFrame(start) else { throw .malformed(.data) }
            var output = ByteBuffer()
            var status = 0
            let used = input.withUnsafeReadableBytes { source in
                var coded = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { target in
                    var decoded = ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: 0)
                    status = ZSTD_decompressStream(context, &decoded, &coded)
                    return decoded.pos
                }
                return coded.pos
            }
            input.moveReaderIndex(forwardBy: used)
            guard ZSTD_isError(status) == 0 else {
                let isWindow = ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge
                throw .malformed(isWindow ? .window(limit: 1 << Self.largestWindow) : .data)
            }
            magic = status == 0 ? [] : Array(start.prefix(magic.count + used))
            // The status is 0 if the frame is complete, and otherwise a suggested size of the next input.
            return DecodedPiece(
                output: output, isFull: output.readableBytes == capacity && status != 0, isLast: status == 0)
        }

        /// Returns whether bytes begin a frame of RFC 8878; libzstd may decode older formats too, without a limit of
        /// their windows.
        private static func startsFrame(_ bytes: [UInt8]) -> Bool {
            let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
            let skippable: [UInt8] = [0x2A, 0x4D, 0x18]
            return frame.starts(with: bytes)
                || bytes.first.map { $0 & 0xF0 == 0x50 } == true && skippable.starts(with: bytes.dropFirst())
        }
    }
#endif
