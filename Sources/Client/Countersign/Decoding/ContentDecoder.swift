// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// Decodes the codings of a body incrementally, into pieces of bounded size, without I/O.
package struct ContentDecoder {
    package enum Failure: Error, Hashable {
        case malformed(BodyError.MalformedContentCoding)
        /// The body grew beyond the limit. Holds byte counts.
        case expanded(received: Int, decoded: Int)
    }

    /// The decoding stages: the coding that was applied last comes first.
    private var stages: [DecodingStage]
    private let limit: ExpansionLimit
    private var received = 0
    /// The number of input bytes since the last output.
    private var bytesWithoutOutput = 0

    /// The maximum number of input bytes without output.
    ///
    /// Without the limit, a gzip header with an endless name, or endless empty blocks, would keep the reader waiting
    /// forever. A server that flushes now and then may still send about two hundred thousand empty blocks.
    private static let bytesWithoutOutputLimit = 1 << 20

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings in the order applied, at least one.
    ///   - limit: The limit, which also applies between the codings, because each stage costs work.
    package init(_ codings: [ContentCoding], limit: ExpansionLimit) {
        stages = codings.reversed().map(DecodingStage.init)
        self.limit = limit
    }

    /// Adds coded bytes; called after ``next()`` has returned `nil`.
    package mutating func receive(_ buffer: ByteBuffer) {
        received += buffer.readableBytes
        bytesWithoutOutput += buffer.readableBytes
        stages[stages.startIndex].receive(buffer)
    }

    /// Returns the next decoded bytes, at most 64 KiB; `nil` if more input is needed.
    package mutating func next() throws(Failure) -> ByteBuffer? {
        if let output = try pull(from: stages.indices.last ?? 0) {
            bytesWithoutOutput = 0
            return output
        }
        guard bytesWithoutOutput <= Self.bytesWithoutOutputLimit else { throw .malformed(.data) }
        return nil
    }

    /// Checks that the coded data is complete; called at the end of the input.
    package func finish() throws(Failure) {
        guard stages.allSatisfy(\.isComplete) else { throw .malformed(.truncated) }
    }

    private mutating func pull(from index: Int) throws(Failure) -> ByteBuffer? {
        while true {
            if let output = try stages[index].next() {
                let decoded = stages[index].produced
                guard limit.allows(decoded, from: received) else {
                    throw .expanded(received: received, decoded: decoded)
                }
                return output
            }
            guard index > stages.startIndex, let input = try pull(from: index - 1) else { return nil }
            stages[index].receive(input)
        }
    }
}

/// The decoding to apply to a body before it is delivered.
struct ContentDecoding: Sendable {
    /// The codings to decode; empty if one of the body's codings is unknown.
    let codings: [ContentCoding]
    /// The unknown coding; `nil` if all are known.
    let unknown: String?
    let limit: ExpansionLimit
    let peer: SessionError.Peer

    var decoder: ContentDecoder? { codings.isEmpty ? nil : ContentDecoder(codings, limit: limit) }

    func error(_ failure: ContentDecoder.Failure) -> SessionError {
        switch failure {
        case .malformed(let reason): .body(.malformedContentCoding(peer, reason))
        case .expanded(let received, let decoded):
            .limit(.expansionExceeded(peer, received: received, decoded: decoded))
        }
    }
}

/// Decodes a single coding, piece by piece.
struct DecodingStage {
    private enum Position {
        case start
        case inside(any CodedStream)
        /// A stream has ended; another gzip member or Zstandard frame may follow.
        case between(any CodedStream)
        /// All streams have ended. Holds the number of trailing bytes that were skipped.
        case trailing(Int)
    }

    /// The maximum number of bytes after the coded data that are skipped, as browsers do, because some servers add
    /// padding.
    private static let trailingLimit = 64 * 1024
    private static let largestPiece = 64 * 1024
    private static let smallestPiece = 1024

    private let coding: ContentCoding
    private var position = Position.start
    private var hasMore = false
    /// The input that is still to be decoded.
    private var input = ByteBuffer()
    /// The number of decoded bytes.
    private(set) var produced = 0

    init(_ coding: ContentCoding) {
        self.coding = coding
    }

    /// Whether no stream is incomplete.
    ///
    /// An empty input counts as an empty body, whatever the header fields say.
    var isComplete: Bool {
        if case .inside = position { false } else { true }
    }

    /// Adds input; called when the previous input is consumed.
    mutating func receive(_ buffer: ByteBuffer) {
        input = buffer
    }

    /// Returns at most one piece; `nil` if more input is needed.
    mutating func next() throws(ContentDecoder.Failure) -> ByteBuffer? {
        while hasMore || input.readableBytes > 0 {
            switch position {
            case .start:
                position = .inside(stream)
            case .inside(let stream):
                if let output = try decode(with: stream) { return output }
            case .between(let stream):
                // The decoder of Zstandard also decodes the next frame; a new one for each would cost much for tiny frames.
                position = !isAtStream ? .trailing(0) : coding == .gzip ? .start : .inside(stream)
            case .trailing(let passed):
                let passed = passed + input.readableBytes
                guard passed <= Self.trailingLimit else { throw .malformed(.trailingData(limit: Self.trailingLimit)) }
                position = .trailing(passed)
                input.clear()
            }
        }
        return nil
    }

    /// Whether the next byte begins another stream of the body: a gzip member, or a frame or skippable frame of
    /// Zstandard.
    private var isAtStream: Bool {
        let first: UInt8? = input.getInteger(at: input.readerIndex)
        return switch coding {
        case .gzip: first == 0x1F
        case .deflate: false
        #if Brotli
            case .brotli: false
        #endif
        #if Zstd
            case .zstd: first == 0x28 || first.map { $0 & 0xF0 } == 0x50
        #endif
        }
    }

    private var stream: any CodedStream {
        switch coding {
        case .gzip: DeflateStream(.gzip)
        case .deflate: DeflateStream(wrapper)
        #if Brotli
            case .brotli: BrotliStream()
        #endif
        #if Zstd
            case .zstd: ZstdStream()
        #endif
        }
    }

    /// The wrapper, by the first byte: its low bits are 8 in the zlib format (RFC 1950 section 2.2), and in raw deflate
    /// (RFC 1951) only for a stored block with nonzero padding.
    private var wrapper: DeflateStream.Wrapper {
        let first: UInt8? = input.getInteger(at: input.readerIndex)
        return first.map { $0 & 0x0F } == 8 ? .zlib : .none
    }

    private mutating func decode(with stream: any CodedStream) throws(ContentDecoder.Failure) -> ByteBuffer? {
        let available = input.readableBytes
        let capacity = min(Self.largestPiece, max(Self.smallestPiece, hasMore ? Self.largestPiece : 4 * available))
        let piece = try stream.decode(&input, atMost: capacity)
        hasMore = piece.isFull
        if piece.isLast { position = .between(stream) }
        let count = piece.output.readableBytes
        produced += count
        if count > 0 { return piece.output }
        // A stream without output must consume its input; otherwise, the caller's loop would never end.
        guard piece.isLast || input.readableBytes < available || available == 0 else { throw .malformed(.data) }
        return nil
    }
}
