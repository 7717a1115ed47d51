// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Brotli
    import CBrotli
    import NIOCore

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
