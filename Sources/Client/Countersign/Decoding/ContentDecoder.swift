// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// Takes the codings of a body off: bytes in, bounded pieces out; no I/O.
package struct ContentDecoder {
    package enum Failure: Error, Hashable {
        case malformed(BodyError.MalformedContentCoding)
        /// Byte counts.
        case expanded(received: Int, decoded: Int)
    }

    /// In the order in which they are taken off: the last applied first.
    private var stages: [DecodingStage]
    private let limit: ExpansionLimit
    private var received = 0
    /// Received since something last came of it, in bytes.
    private var fruitless = 0

    /// A head whose name does not end, or empty blocks: a reader that waits for a piece would never get one.
    ///
    /// A server that flushes an empty block now and then may do so two hundred thousand times.
    private static let fruitlessLimit = 1 << 20

    /// - Parameters:
    ///   - codings: In the order applied, at least one.
    ///   - limit: Holds between the codings too, where the work is done.
    package init(_ codings: [ContentCoding], limit: ExpansionLimit) {
        stages = codings.reversed().map(DecodingStage.init)
        self.limit = limit
    }

    /// To be called when ``next()`` has returned `nil`.
    package mutating func receive(_ buffer: ByteBuffer) {
        received += buffer.readableBytes
        fruitless += buffer.readableBytes
        stages[stages.startIndex].receive(buffer)
    }

    /// - Returns: The next decoded bytes, at most 64 KiB; `nil` where more has to be received.
    package mutating func next() throws(Failure) -> ByteBuffer? {
        if let output = try pull(from: stages.indices.last ?? 0) {
            fruitless = 0
            return output
        }
        guard fruitless <= Self.fruitlessLimit else { throw .malformed(.data) }
        return nil
    }

    /// To be called when nothing more is received.
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

/// The decoding of a body before it is delivered.
struct ContentDecoding: Sendable {
    /// The codings to undo; empty if one of the body's codings is unknown.
    let codings: [ContentCoding]
    /// The coding that cannot be undone; `nil` if all can.
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

/// Takes one coding off, piece by piece.
struct DecodingStage {
    private enum Position {
        case start
        case inside(any CodedStream)
        /// A stream has ended; gzip may go on with another.
        case between
        /// After the last, how many bytes were passed over that belong to nothing.
        case trailing(Int)
    }

    /// What follows the coded data is passed over up to here, as browsers do: some servers pad.
    private static let trailingLimit = 64 * 1024
    private static let largestPiece = 64 * 1024
    private static let smallestPiece = 1024

    private let coding: ContentCoding
    private var position = Position.start
    private var hasMore = false
    /// What is still to be decoded.
    private var input = ByteBuffer()
    /// In bytes.
    private(set) var produced = 0

    init(_ coding: ContentCoding) {
        self.coding = coding
    }

    /// Nothing at all is an empty body, whatever its fields say of it.
    var isComplete: Bool {
        if case .inside = position { false } else { true }
    }

    /// To be called when there is nothing left to be decoded.
    mutating func receive(_ buffer: ByteBuffer) {
        input = buffer
    }

    /// - Returns: At most a piece; `nil` where more input is needed.
    mutating func next() throws(ContentDecoder.Failure) -> ByteBuffer? {
        while hasMore || input.readableBytes > 0 {
            switch position {
            case .start:
                position = .inside(stream)
            case .inside(let stream):
                if let output = try decode(with: stream) { return output }
            case .between:
                let isMember = coding == .gzip && input.getInteger(at: input.readerIndex, as: UInt8.self) == 0x1F
                position = isMember ? .start : .trailing(0)
            case .trailing(let passed):
                let passed = passed + input.readableBytes
                guard passed <= Self.trailingLimit else { throw .malformed(.trailingData(limit: Self.trailingLimit)) }
                position = .trailing(passed)
                input.clear()
            }
        }
        return nil
    }

    private var stream: any CodedStream {
        switch coding {
        case .gzip: DeflateStream(.gzip)
        case .deflate: DeflateStream(wrapper)
        #if Brotli
            case .brotli: BrotliStream()
        #endif
        }
    }

    /// RFC 1950 section 2.2: 8 stands in its first byte; RFC 1951 begins so only with a stored block whose padding is not zero.
    private var wrapper: DeflateStream.Wrapper {
        let first: UInt8? = input.getInteger(at: input.readerIndex)
        return first.map { $0 & 0x0F } == 8 ? .zlib : .none
    }

    private mutating func decode(with stream: any CodedStream) throws(ContentDecoder.Failure) -> ByteBuffer? {
        let available = input.readableBytes
        let capacity = min(Self.largestPiece, max(Self.smallestPiece, hasMore ? Self.largestPiece : 4 * available))
        let piece = try stream.decode(&input, atMost: capacity)
        hasMore = piece.isFull
        if piece.isLast { position = .between }
        let count = piece.output.readableBytes
        produced += count
        if count > 0 { return piece.output }
        // With room for output a stream uses all input; otherwise this would go on for ever.
        guard piece.isLast || input.readableBytes < available || available == 0 else { throw .malformed(.data) }
        return nil
    }
}
