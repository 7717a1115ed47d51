// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CZlib
import NIOCore

#if Brotli
    import CBrotli
#endif

/// One stream of a coding, which is taken off piece by piece.
protocol CodedStream {
    /// Decodes what fits into a piece.
    ///
    /// - Parameters:
    ///   - input: What is used of it is taken off.
    ///   - capacity: Of the piece, in bytes.
    /// - Returns: What was decoded; of no bytes where the input is used up without it.
    /// - Throws: Where the input is not what it should be.
    func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece
}

/// What a stream gives at once.
struct DecodedPiece {
    let output: ByteBuffer
    /// Whether there may be more without more input.
    let isFull: Bool
    /// Whether the stream is at its end; what is left of the input is not its.
    let isLast: Bool
}

/// One of zlib's streams, freed with its owner.
final class DeflateStream: CodedStream {
    /// What is around the deflated data.
    enum Wrapper: Int32 {
        /// RFC 1952, in zlib's way to say so: 16 more than the largest window.
        case gzip = 31
        /// RFC 1950.
        case zlib = 15
        /// None: RFC 1951.
        case none = -15
    }

    /// Allocated separately, because zlib remembers its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ wrapper: Wrapper) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // It fails without memory, or with another zlib than this was compiled with.
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
            // zlib does not write to its input; its type says so only if asked by a macro.
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
    /// A stream of RFC 7932, freed with its owner.
    final class BrotliStream: CodedStream {
        private let state: OpaquePointer

        init() {
            guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
                preconditionFailure("there is no memory for brotli")
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
                    var (room, free) = (target.baseAddress?.assumingMemoryBound(to: UInt8.self), capacity)
                    result = BrotliDecoderDecompressStream(state, &count, &bytes, &free, &room, nil)
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
