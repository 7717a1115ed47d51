// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
package import HTTPTransport
import HTTPTypes
import NIOConcurrencyHelpers
public import NIOCore

/// The body of a request: bytes in memory, or parts that are produced while they are sent, no faster than the peer takes them.
///
/// A challenge or a redirect may require the session to send a body again. A body that can be produced only once is therefore sent with
/// `Expect: 100-continue` (RFC 9110 section 10.1.1), so that a server can challenge before the body is read. Over HTTP/1.1 a body of more
/// than 1 MiB, or of unknown length, is sent in this way too.
public struct RequestBody: Sendable {
    /// Takes a part, and returns when there is room for the next one.
    package typealias Sink = OutgoingBody.Sink

    /// What the transport sends.
    let outgoing: OutgoingBody
    /// The length in bytes; `nil` if it is not known before the body is sent, which is then sent in chunks.
    public var length: Int? { outgoing.length }
    /// The value of `Content-Type` if the request has no such field; `nil` for no field.
    public var contentType: String?
    /// A text in a form's part that cannot be sent.
    package var flaw: RequestError.Text?
    /// Whether a body is still there that can be produced only once; `nil` where it can be as often as it is asked for.
    private let availability: (@Sendable () -> Bool)?

    /// Whether a body was taken that there is only once.
    private final class Supply: Sendable {
        private let isTaken = NIOLockedValueBox(false)

        var isThere: Bool { isTaken.withLockedValue { !$0 } }

        func take() throws {
            let wasTaken = isTaken.withLockedValue { taken in
                defer { taken = true }
                return taken
            }
            guard !wasTaken else { throw SessionError.body(.usedUp) }
        }
    }

    private init(length: Int?, content: OutgoingBody.Content, availability: (@Sendable () -> Bool)? = nil) {
        outgoing = OutgoingBody(length: length, content: content)
        self.availability = availability
    }

    /// A body that hands its parts to a sink.
    package init(
        length: Int?, availability: (@Sendable () -> Bool)? = nil,
        produce: @escaping @Sendable (Sink) async throws -> Void
    ) {
        self.init(length: length, content: .parts(produce), availability: availability)
    }

    /// The same, handed on in another way.
    func replacingContent(_ produce: @escaping @Sendable (Sink) async throws -> Void) -> RequestBody {
        var body = RequestBody(length: length, availability: availability, produce: produce)
        body.contentType = contentType
        body.flaw = flaw
        return body
    }

    /// Makes a body of bytes in memory, which can be sent again.
    public static func bytes(_ bytes: some Collection<UInt8>) -> Self {
        let bytes = Array(bytes)
        return Self(length: bytes.count, content: .bytes(bytes))
    }

    /// Makes a body of parts that can be produced again, such as those of a file.
    ///
    /// - Parameters:
    ///   - length: The length of all parts, in bytes; `nil` where it is not known. The request fails with
    ///     ``BodyError/wrongLength(_:announced:produced:)`` if the parts have another length.
    ///   - parts: Returns the parts; called each time the body is sent. The request fails with the error that it, or the sequence, throws.
    /// - Returns: A body that the session can send again after a challenge or a redirect.
    public static func stream<Parts: AsyncSequence & Sendable>(
        length: Int? = nil, _ parts: @escaping @Sendable () async throws -> Parts
    ) -> Self where Parts.Element == ByteBuffer {
        Self(
            length: length, content: .parts { sink in for try await part in try await parts() { try await sink(part) } }
        )
    }

    /// Makes a body of parts that can be produced only once, such as those of a pipe.
    ///
    /// - Parameters:
    ///   - length: The length of all parts, in bytes; `nil` where it is not known. The request fails with
    ///     ``BodyError/wrongLength(_:announced:produced:)`` if the parts have another length.
    ///   - parts: The parts, read once. Reading begins when the server sends a 100, or after ``Session/Configuration/continueTimeout``.
    /// - Returns: A body that is sent once. If the server challenges or redirects after the parts were read, the request fails with
    ///   ``BodyError/notRepeatable(_:)``.
    public static func oneShot<Parts: AsyncSequence & Sendable>(
        length: Int? = nil, _ parts: Parts
    ) -> Self where Parts.Element == ByteBuffer {
        let supply = Supply()
        return Self(
            length: length,
            content: .parts { sink in
                // An attempt that was given up must leave the parts to the next one.
                try Task.checkCancellation()
                try supply.take()
                for try await part in parts { try await sink(part) }
            },
            availability: { supply.isThere })
    }

    /// Whether it can be sent, or sent again.
    var isAvailable: Bool { availability?() ?? true }

    /// Whether it can be sent only once.
    var isOneShot: Bool { availability != nil }

    /// In parts of 64 KiB where it is in memory.
    package func produce(_ sink: Sink) async throws {
        switch outgoing.content {
        case .parts(let produce):
            try await produce(sink)
        case .bytes(let bytes):
            for start in stride(from: 0, to: bytes.count, by: 64 * 1024) {
                try await sink(ByteBuffer(bytes: bytes[start..<Swift.min(start + 64 * 1024, bytes.count)]))
            }
        }
    }

    /// Whether it is produced while it is sent, as a file is, rather than held in memory.
    package var isStreamed: Bool { bytes == nil }

    /// What is known of the content beforehand; `nil` where it is streamed.
    var bytes: [UInt8]? { outgoing.bytes }
}

extension Request {
    /// Sees to it that the request can be sent, or sent again.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/notRepeatable(_:)``.
    func requireRepeatableBody(for url: HTTPURL) throws(SessionError) {
        guard body?.isAvailable ?? true else { throw .body(.notRepeatable(url.redacted)) }
    }
}

extension RequestBody {
    /// Returns the body with another media type.
    ///
    /// - Parameter mediaType: The value of `Content-Type`: `image/png`, say.
    /// - Returns: The same body with that media type.
    public func type(_ mediaType: String) -> Self {
        var body = self
        body.contentType = mediaType
        return body
    }

    /// Makes a body of text in memory, sent as `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> Self {
        bytes(Array(text.utf8)).type("text/plain; charset=utf-8")
    }

    /// Makes a body of a value in JSON (RFC 8259), sent as `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value to send.
    ///   - encoder: The encoder, which determines how dates and keys are written.
    /// - Returns: A body in memory, which the session can send again after a challenge or a redirect.
    /// - Throws: `EncodingError`, and what the value's own encoding throws.
    public static func json(_ value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws -> Self {
        bytes(Array(try encoder.encode(value))).type(MediaType.json.essence)
    }

    /// Collects the bytes that would be sent, for a stand-in of a session that examines a request.
    ///
    /// A body that can be produced only once is used up by it.
    ///
    /// - Parameter limit: The largest body that is collected, in bytes. A longer one is an error.
    /// - Returns: All bytes of the body.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, ``BodyError/usedUp``, and what producing the body throws.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        let whole = NIOLockedValueBox(ByteBuffer())
        let take: Sink = { part in
            try whole.withLockedValue { whole in
                guard whole.readableBytes + part.readableBytes <= limit else {
                    throw SessionError.limit(.bodyTooLarge(limit: limit))
                }
                whole.writeImmutableBuffer(part)
            }
        }
        try await produce(take)
        return whole.withLockedValue { $0 }
    }
}
