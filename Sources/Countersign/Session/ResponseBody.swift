// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOCore

/// The bytes of a response, read once, as they arrive and no faster than they are taken.
public struct ResponseBody: AsyncSequence, Sendable {
    /// As many bytes as arrived together.
    public typealias Element = ByteBuffer

    typealias Stream = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    private enum Source: Sendable {
        case connection(Stream)
        case memory(ByteBuffer)
    }

    private let source: Source

    init(stream: Stream) {
        source = .connection(stream)
    }

    init(_ contents: ByteBuffer) {
        source = .memory(contents)
    }

    /// Reads buffer after buffer; dropping it closes the connection where the body is not at its end.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var connection: Stream.AsyncIterator?
        fileprivate var memory: ByteBuffer?

        /// The next bytes; `nil` at the end.
        ///
        /// - Throws: ``SessionError/truncatedBody(_:received:expected:)`` where the body ends before its framing says so;
        ///   `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> ByteBuffer? {
            guard let connection else {
                defer { memory = nil }
                return memory
            }
            let buffer = try await connection.next()
            if buffer == nil { try Task.checkCancellation() }
            return buffer
        }
    }

    /// Call it once: a body can be read only once.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .connection(let stream): AsyncIterator(connection: stream.makeAsyncIterator())
        case .memory(let contents): AsyncIterator(memory: contents)
        }
    }

    /// How much of a body nobody wants is still read to keep its connection, in bytes.
    static let discardLimit = 64 * 1024

    /// The same where the connection is worth more, because it is being authenticated.
    static let challengeLimit = 1 << 20

    /// Reads a body that nobody wants, so that its connection can be used again; a long one is cut off instead.
    func discard(upTo limit: Int = discardLimit) async throws {
        var size = 0
        do {
            for try await part in self {
                size += part.readableBytes
                if size > limit { return }
            }
        } catch is SessionError {
            // The connection is lost, and the body was not wanted.
        }
    }

    /// Gathers the whole body.
    ///
    /// - Parameter limit: In bytes.
    /// - Returns: All bytes, at most as many as the limit.
    /// - Throws: ``SessionError/bodyTooLarge(limit:)`` and what reading throws.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        var whole = ByteBuffer()
        for try await part in self {
            guard whole.readableBytes + part.readableBytes <= limit else {
                throw SessionError.bodyTooLarge(limit: limit)
            }
            whole.writeImmutableBuffer(part)
        }
        return whole
    }
}

extension ResponseBody {
    /// Carries the reader's demand back to the connection.
    struct Demand: NIOAsyncSequenceProducerDelegate {
        let target: NIOLoopBound<any BodyDemand>
        let exchangeNumber: Int

        func produceMore() {
            target.eventLoop.execute { target.value.produceMore(exchangeNumber: exchangeNumber) }
        }

        func didTerminate() {
            target.eventLoop.execute { target.value.didTerminate(exchangeNumber: exchangeNumber) }
        }
    }
}

/// What produces a body while it is read.
protocol BodyDemand: AnyObject {
    /// The reader has room for more.
    func produceMore(exchangeNumber: Int)
    /// The reader has gone.
    func didTerminate(exchangeNumber: Int)
}

extension ResponseBody: CustomStringConvertible, CustomReflectable {
    /// Nothing of the bytes: whether they are still to arrive or there already.
    public var description: String {
        switch source {
        case .connection: "ResponseBody(arriving)"
        case .memory(let contents): "ResponseBody(\(contents.readableBytes) bytes)"
        }
    }

    /// Shows no more than the description: behind a body is its connection, with all that was sent over it.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
