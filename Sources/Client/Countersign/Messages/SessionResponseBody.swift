// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes
public import NIOCore
import Synchronization

/// The body of a response: bytes that are read once, as they arrive.
///
/// The session reads from the server no faster than the caller reads the body. Reading a body a second time is an error,
/// ``BodyError/alreadyRead``, also for a body in memory.
public struct SessionResponseBody: AsyncSequence, Sendable {
    /// A part of the body: bytes that arrived together.
    public typealias Element = ByteBuffer

    fileprivate enum Source: Sendable {
        case connection(BodyQueue.Hold)
        case memory(ByteBuffer, Reading)
        case parts(@Sendable () -> Parts, Reading)
    }

    /// The record of whether a body was read, which all copies of the body share.
    fileprivate final class Reading: Sendable {
        private let hasBegun = Atomic(false)

        /// Returns whether this is the first reading.
        func begin() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
    }

    /// Returns the next buffer; `nil` at the end.
    fileprivate typealias Parts = () async throws -> ByteBuffer?

    private let source: Source
    private let decoding: ContentDecoding?

    /// The codings that are decoded while the body is read, in the order in which the server applied them.
    ///
    /// The list is empty if the body is delivered as sent.
    public var codings: [ContentCoding] { decoding?.codings ?? [] }

    /// Creates a body that arrives over a connection.
    init(_ body: IncomingBody) {
        switch body {
        case .complete(let contents): self.init(contents)
        case .arriving(let queue): self.init(.connection(BodyQueue.Hold(queue)))
        }
    }

    /// Makes a body of bytes in memory; empty by default.
    public init(_ contents: ByteBuffer = ByteBuffer()) {
        self.init(.memory(contents, Reading()))
    }

    private init(_ source: Source, _ decoding: ContentDecoding? = nil) {
        (self.source, self.decoding) = (source, decoding)
    }

    /// Returns the same body with decoding applied.
    func decoded(by decoding: ContentDecoding) -> SessionResponseBody {
        SessionResponseBody(source, decoding)
    }

    /// Makes a body of text in memory, encoded in UTF-8.
    public static func text(_ text: String) -> Self { Self(ByteBuffer(string: text)) }

    /// Makes a body of bytes in memory.
    public static func bytes(_ contents: ByteBuffer) -> Self { Self(contents) }

    /// Makes a body from buffers that do not come from a connection, for clients that replace a session.
    ///
    /// - Parameter parts: The buffers, which are read once, at the rate at which the body is read.
    /// - Returns: A body that ends or fails as the sequence does.
    public static func stream<Sequence: AsyncSequence & Sendable>(
        _ parts: Sequence
    ) -> Self where Sequence.Element == ByteBuffer {
        let make: @Sendable () -> Parts = {
            var iterator = parts.makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
        return Self(.parts(make, Reading()))
    }

    /// An iterator over the buffers of a body.
    ///
    /// Dropping the iterator before the end of the body closes the HTTP/1.1 connection, or resets the HTTP/2 stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The holds of the body and of the reader.
        ///
        /// Dropping the reader's hold abandons the body; the body's own hold must not abandon it while it is read.
        private var connection: (body: BodyQueue.Hold, reader: BodyQueue.Hold)?
        fileprivate var memory: ByteBuffer?
        private var parts: Parts?
        /// Whether another iterator reads the body, or has read it.
        private let isSecond: Bool
        fileprivate let decoding: ContentDecoding?
        private var decoder: ContentDecoder?
        /// The number of bytes received, before decoding.
        package private(set) var receivedCount = 0

        fileprivate init(_ source: Source, _ decoding: ContentDecoding?) {
            switch source {
            case .connection(let hold): connection = hold.reader().map { (hold, $0) }
            case .memory(let contents, let reading): memory = reading.begin() ? contents : nil
            case .parts(let make, let reading): parts = reading.begin() ? make() : nil
            }
            isSecond = connection == nil && memory == nil && parts == nil
            self.decoding = decoding
            decoder = decoding?.decoder
        }

        /// Returns the next bytes; `nil` at the end of the body.
        ///
        /// - Throws: ``SessionError``, for example of ``BodyError/truncated(_:received:expected:)`` if the body ends
        ///   prematurely, of ``LimitError/timedOut(_:_:after:setting:)`` if the server is silent for too long, or of
        ///   ``BodyError/alreadyRead`` if the body has had another iterator; for a decoded body, also of
        ///   ``BodyError/malformedContentCoding(_:_:)``, ``BodyError/unknownContentCoding(_:_:)`` and
        ///   ``LimitError/expansionExceeded(_:received:decoded:)``; `CancellationError` if the task is cancelled; any
        ///   error of the parts of ``stream(_:)``.
        public mutating func next() async throws -> ByteBuffer? {
            guard let decoding else { return try await received() }
            if let unknown = decoding.unknown {
                // An empty body is the same with every coding.
                while let input = try await received() {
                    if input.readableBytes > 0 { throw abandoned(.body(.unknownContentCoding(decoding.peer, unknown))) }
                }
                return nil
            }
            do {
                while true {
                    if let output = try decoder?.next() { return output }
                    guard let input = try await received() else { break }
                    decoder?.receive(input)
                }
                try decoder?.finish()
                return nil
            } catch let failure as ContentDecoder.Failure {
                throw abandoned(decoding.error(failure))
            }
        }

        /// Abandons the rest of the body, which closes its connection.
        private mutating func abandoned(_ error: SessionError) -> SessionError {
            (connection, memory, parts, decoder) = (nil, nil, nil, nil)
            return error
        }

        private mutating func received() async throws -> ByteBuffer? {
            let buffer = try await nextBuffer()
            receivedCount += buffer?.readableBytes ?? 0
            return buffer
        }

        private mutating func nextBuffer() async throws -> ByteBuffer? {
            guard !isSecond else { throw SessionError.body(.alreadyRead) }
            if let parts { return try await parts() }
            guard let connection else {
                defer { memory = nil }
                return memory
            }
            do {
                return try await connection.reader.queue.next()
            } catch let error as TransportError {
                throw SessionError(error)
            }
        }
    }

    /// Makes the iterator of the body, which can be read only once: the iterators after the first one throw
    /// ``BodyError/alreadyRead``.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source, decoding)
    }

    /// The default limit for methods that read a complete body, in bytes: 16 MiB.
    public static let defaultLimit = 16 << 20

    /// The maximum length of an unwanted body that is read to keep its connection, in bytes.
    static let discardLimit = 64 * 1024

    /// The maximum length of an unwanted body on a connection that is being authenticated, and is thus more valuable.
    static let challengeLimit = 1 << 20

    /// Reads and discards an unwanted body, so that its connection can be reused; a long body is cut off instead.
    package func discard(upTo limit: Int = discardLimit) async throws {
        var size = 0
        do {
            for try await part in self {
                size += part.readableBytes
                if size > limit { return }
            }
        } catch is SessionError {
            // The connection is lost, but the body was not wanted anyway.
        }
    }

    /// Reads the complete body into memory.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: All bytes of the body.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and any error that ``AsyncIterator/next()``
    ///   throws.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        var collected = ByteBuffer()
        for try await part in self {
            guard collected.readableBytes + part.readableBytes <= limit else {
                throw SessionError.limit(.bodyTooLarge(limit: limit))
            }
            collected.writeImmutableBuffer(part)
        }
        return collected
    }
}

extension SessionResponseBody: CustomStringConvertible, CustomReflectable {
    /// The length of a body in memory, or the state of a body that is still arriving, without its bytes.
    public var description: String {
        switch source {
        case .connection, .parts: "SessionResponseBody(arriving)"
        case .memory(let contents, _): "SessionResponseBody(\(contents.readableBytes) bytes)"
        }
    }

    /// A mirror that shows only the description, because a body refers to its connection and everything sent over it.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension SessionResponse {
    /// Returns the response for delivery: its codings are decoded, unless the request asked for codings itself.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` if there are too many codings.
    func decoded(for request: SessionRequest, limit: ExpansionLimit) throws(SessionError) -> SessionResponse {
        guard request.explicitFields[.acceptEncoding] == nil, request.method != .head,
            ![204, 206, 304].contains(status.code)
        else { return self }
        return try decoded(limit: limit)
    }

    /// Returns the response with its codings decoded; reading a body with an unknown coding fails.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` if there are too many codings.
    func decoded(limit: ExpansionLimit) throws(SessionError) -> SessionResponse {
        let (codings, unknown) = ContentCoding.list(headerFields[.contentEncoding])
        guard !codings.isEmpty || unknown != nil else { return self }
        guard codings.count <= ContentCoding.limit else {
            throw .body(.malformedContentCoding(connection.peer, .tooMany(limit: ContentCoding.limit)))
        }
        var fields = headerFields
        if unknown == nil {
            // Both fields describe the coded bytes.
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        let decoding = ContentDecoding(codings: codings, unknown: unknown, limit: limit, peer: connection.peer)
        return replacing(fields, body.decoded(by: decoding))
    }

    /// The value of `Content-Encoding` if the body is delivered with a coding; `nil` if it has none.
    package var remainingCoding: String? {
        let (codings, unknown) = ContentCoding.list(headerFields[.contentEncoding])
        return codings.isEmpty && unknown == nil ? nil : headerFields[.contentEncoding]
    }
}
