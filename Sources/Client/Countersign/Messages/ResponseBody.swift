// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes
public import NIOCore

/// The body of a response: bytes that are read once, as they arrive.
///
/// The server is not read from faster than the body is.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A part of the body: the bytes that arrived together.
    public typealias Element = ByteBuffer

    fileprivate enum Source: Sendable {
        case connection(BodyQueue.Hold)
        case memory(ByteBuffer)
        case parts(@Sendable () -> Parts)
    }

    /// Gives the next of some buffers; `nil` at the end.
    fileprivate typealias Parts = () async throws -> ByteBuffer?

    private let source: Source
    private let decoding: ContentDecoding?

    /// The codings that are decoded while the body is read, in the order in which the server applied them.
    ///
    /// It is empty where the body is delivered as sent.
    public var codings: [ContentCoding] { decoding?.codings ?? [] }

    /// What arrives over a connection.
    init(_ body: IncomingBody) {
        switch body {
        case .whole(let contents): self.init(.memory(contents))
        case .arriving(let queue): self.init(.connection(BodyQueue.Hold(queue)))
        }
    }

    /// Makes a body of bytes in memory; empty by default.
    public init(_ contents: ByteBuffer = ByteBuffer()) {
        self.init(.memory(contents))
    }

    private init(_ source: Source, _ decoding: ContentDecoding? = nil) {
        (self.source, self.decoding) = (source, decoding)
    }

    /// The same bytes, of which codings are taken off.
    func decoded(by decoding: ContentDecoding) -> ResponseBody {
        ResponseBody(source, decoding)
    }

    /// Makes a body of text in memory, encoded in UTF-8.
    public static func text(_ text: String) -> Self { Self(ByteBuffer(string: text)) }

    /// Makes a body of bytes in memory.
    public static func bytes(_ contents: ByteBuffer) -> Self { Self(contents) }

    /// Makes a body of buffers that do not come from a connection, for clients that stand in for a session.
    ///
    /// - Parameter parts: The buffers, read once, no faster than the body is.
    /// - Returns: A body that ends, or fails, as its parts do.
    public static func stream<Sequence: AsyncSequence & Sendable>(
        _ parts: Sequence
    ) -> Self where Sequence.Element == ByteBuffer {
        Self(
            .parts {
                var iterator = parts.makeAsyncIterator()
                return { try await iterator.next(isolation: #isolation) }
            })
    }

    /// Reads one buffer after the other.
    ///
    /// Dropping the iterator before the end of the body closes the connection of HTTP/1.1, or the stream of HTTP/2.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The body's own, which must not give up what is read, and the reader's, which does when it is dropped.
        private var connection: (body: BodyQueue.Hold, reader: BodyQueue.Hold)?
        fileprivate var memory: ByteBuffer?
        private var parts: Parts?
        fileprivate let decoding: ContentDecoding?
        private var decoder: ContentDecoder?
        /// The number of bytes that have arrived, before any coding is undone.
        package private(set) var receivedCount = 0

        fileprivate init(_ source: Source, _ decoding: ContentDecoding?) {
            switch source {
            case .connection(let hold): connection = (hold, BodyQueue.Hold(hold.queue))
            case .memory(let contents): memory = contents
            case .parts(let make): parts = make()
            }
            self.decoding = decoding
            decoder = decoding?.decoder
        }

        /// Returns the next bytes; `nil` at the end of the body.
        ///
        /// - Throws: ``SessionError``, such as of ``BodyError/truncated(_:received:expected:)`` where the body ends before its framing says
        ///   so, of ``LimitError/timedOut(_:_:)`` where the server is silent for too long, and, where the body is decoded, of
        ///   ``BodyError/malformedContentCoding(_:_:)``, ``BodyError/unknownContentCoding(_:_:)`` and
        ///   ``LimitError/expansionExceeded(_:received:decoded:)``; `CancellationError` where the task is cancelled; what the parts of
        ///   ``stream(_:)`` throw.
        public mutating func next() async throws -> ByteBuffer? {
            guard let decoding else { return try await received() }
            if let unknown = decoding.unknown {
                // An empty body is the same in every coding.
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

        /// Gives up the rest of the body, which closes its connection.
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

    /// Makes the body's only iterator: a body can be read only once.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source, decoding)
    }

    /// The default limit of methods that read a whole body, in bytes: 16 MiB.
    public static let usualLimit = 16 << 20

    /// How much of an unwanted body is still read to keep its connection, in bytes.
    static let discardLimit = 64 * 1024

    /// The same where the connection is worth more, because it is being authenticated.
    static let challengeLimit = 1 << 20

    /// Reads an unwanted body, so that its connection can be used again; a long one is cut off instead.
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

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: All bytes of the body.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and what ``AsyncIterator/next()`` throws.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        var whole = ByteBuffer()
        for try await part in self {
            guard whole.readableBytes + part.readableBytes <= limit else {
                throw SessionError.limit(.bodyTooLarge(limit: limit))
            }
            whole.writeImmutableBuffer(part)
        }
        return whole
    }
}

extension ResponseBody: CustomStringConvertible, CustomReflectable {
    /// The length of a body in memory, and otherwise that the body is arriving; never the bytes themselves.
    public var description: String {
        switch source {
        case .connection, .parts: "ResponseBody(arriving)"
        case .memory(let contents): "ResponseBody(\(contents.readableBytes) bytes)"
        }
    }

    /// Shows no more than the description: behind a body is its connection, with all that was sent over it.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension Response {
    /// Returns the response as it is delivered: its codings are undone unless the request asked for codings itself.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` where there are too many.
    func decoded(for request: Request, limit: ExpansionLimit) throws(SessionError) -> Response {
        guard request.headerFields[.acceptEncoding] == nil, request.method != .head,
            ![204, 206, 304].contains(status.code)
        else { return self }
        return try decoded(limit: limit)
    }

    /// Returns the response without the codings of its body; reading a body in an unknown coding fails.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` where there are too many.
    func decoded(limit: ExpansionLimit) throws(SessionError) -> Response {
        let (codings, unknown) = ContentCoding.list(headerFields[.contentEncoding])
        guard !codings.isEmpty || unknown != nil else { return self }
        guard codings.count <= ContentCoding.limit else {
            throw .body(.malformedContentCoding(connection.peer, .tooMany(limit: ContentCoding.limit)))
        }
        var fields = headerFields
        if unknown == nil {
            // Both are about the bytes that were sent.
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        let decoding = ContentDecoding(codings: codings, unknown: unknown, limit: limit, peer: connection.peer)
        return Response(
            status: status, headerFields: fields, url: url, sharedReport: sharedReport, body: body.decoded(by: decoding)
        )
    }

    /// The value of `Content-Encoding` if the body is delivered in a coding; `nil` if it is in none.
    package var remainingCoding: String? {
        let (codings, unknown) = ContentCoding.list(headerFields[.contentEncoding])
        return codings.isEmpty && unknown == nil ? nil : headerFields[.contentEncoding]
    }
}
