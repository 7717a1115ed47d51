// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
package import HTTPTransport
import HTTPTypes
import NIOConcurrencyHelpers
public import NIOCore

/// The body of a request: bytes in memory, or parts that are produced while they are sent, at the rate at which the
/// peer accepts them.
///
/// A challenge or a redirect may require the session to send a body again. A body that can be produced only once is
/// therefore sent with `Expect: 100-continue` (RFC 9110 section 10.1.1), so that a server can challenge before the body
/// is read. Over HTTP/1.1, a body of more than 1 MiB or of unknown length is also sent with this field.
public struct SessionRequestBody: Sendable {
    /// A closure that accepts a part, and returns when the next one can be sent.
    package typealias Sink = OutgoingBody.Sink

    /// The representation of the body in the transport.
    let outgoing: OutgoingBody
    /// The length in bytes; `nil` if it is unknown before the body is sent, which is then sent in chunks.
    public var length: Int? { outgoing.length }
    /// The value of `Content-Type` if the request has no such field; `nil` for no field.
    public var contentType: String?
    /// The text of a form part that cannot be sent; `nil` if there is none.
    package var forbiddenText: RequestError.Text?
    /// Returns whether a body that can be produced only once is still available; `nil` if it can be produced
    /// repeatedly.
    private let availability: (@Sendable () -> Bool)?

    /// The state of a body that can be produced only once.
    private final class OneShotState: Sendable {
        private let isTaken = NIOLockedValueBox(false)

        var isAvailable: Bool { isTaken.withLockedValue { !$0 } }

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

    /// Creates a body that passes its parts to a sink.
    package init(
        length: Int?, availability: (@Sendable () -> Bool)? = nil,
        produce: @escaping @Sendable (Sink) async throws -> Void
    ) {
        self.init(length: length, content: .parts(produce), availability: availability)
    }

    /// Returns the same body with another closure that produces its content.
    func replacingContent(_ produce: @escaping @Sendable (Sink) async throws -> Void) -> SessionRequestBody {
        var body = SessionRequestBody(length: length, availability: availability, produce: produce)
        body.contentType = contentType
        body.forbiddenText = forbiddenText
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
    ///   - length: The length of all parts, in bytes; `nil` if it is not known. The request fails with
    ///     ``BodyError/wrongLength(_:announced:produced:)`` if the parts have another length.
    ///   - parts: Returns the parts; called each time the body is sent. The request fails with any error that the
    ///     closure or the sequence throws.
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
    ///   - length: The length of all parts, in bytes; `nil` if it is not known. The request fails with
    ///     ``BodyError/wrongLength(_:announced:produced:)`` if the parts have another length.
    ///   - parts: The parts, which are read once. Reading begins when the server sends a 100, or after
    ///     ``HTTPSession/Configuration/continueTimeout``.
    /// - Returns: A body that is sent once. If the server challenges or redirects after the parts were read, the
    ///   request fails with ``BodyError/notRepeatable(_:)``.
    public static func oneShot<Parts: AsyncSequence & Sendable>(
        length: Int? = nil, _ parts: Parts
    ) -> Self where Parts.Element == ByteBuffer {
        let supply = OneShotState()
        return Self(
            length: length,
            content: .parts { sink in
                // A cancelled attempt must leave the parts to the next one.
                try Task.checkCancellation()
                try supply.take()
                for try await part in parts { try await sink(part) }
            },
            availability: { supply.isAvailable })
    }

    /// Whether the body can be sent, or sent again.
    var isAvailable: Bool { availability?() ?? true }

    /// Whether the body can be sent only once.
    var isOneShot: Bool { availability != nil }

    /// Passes the body to a sink; a body in memory in parts of 64 KiB.
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

    /// Whether the body is produced while it is sent, such as a file, instead of being in memory.
    package var isStreamed: Bool { bytes == nil }

    /// The bytes of a body in memory; `nil` if the body is streamed.
    var bytes: [UInt8]? { outgoing.bytes }
}

extension SessionRequest {
    /// Checks that the body can be sent, or sent again.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/notRepeatable(_:)``.
    func requireRepeatableBody(for url: HTTPURL) throws(SessionError) {
        guard body?.isAvailable ?? true else { throw .body(.notRepeatable(url.redacted)) }
    }
}

extension SessionRequestBody {
    /// Returns the body with another media type.
    ///
    /// - Parameter mediaType: The value of `Content-Type`, such as `image/png`.
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

    /// Makes a body from a value, encoded as JSON (RFC 8259) and sent as `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value to send.
    ///   - encoder: The encoder, which determines how dates and keys are written.
    /// - Returns: A body in memory, which the session can send again after a challenge or a redirect.
    /// - Throws: `EncodingError`, and any error that the value's own encoding throws.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Self {
        bytes(Array(try encoder.encode(value))).type(MediaType.json.essence)
    }

    /// Collects the bytes that would be sent, for a test client that examines a request.
    ///
    /// This consumes a body that can be produced only once.
    ///
    /// - Parameter limit: The largest body that is collected, in bytes. A longer one is an error.
    /// - Returns: All bytes of the body.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, ``BodyError/usedUp``, and any error from
    ///   producing the body.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        let collected = NIOLockedValueBox(ByteBuffer())
        let take: Sink = { part in
            try collected.withLockedValue { collected in
                guard collected.readableBytes + part.readableBytes <= limit else {
                    throw SessionError.limit(.bodyTooLarge(limit: limit))
                }
                collected.writeImmutableBuffer(part)
            }
        }
        try await produce(take)
        return collected.withLockedValue { $0 }
    }
}

extension SessionRequestBody: CustomStringConvertible, CustomReflectable {
    /// The length and the media type, without the content.
    public var description: String {
        "SessionRequestBody(\(length.map { "\($0) bytes" } ?? "unknown length"), \(contentType ?? "no type"))"
    }

    /// A mirror that shows only the description, because a body may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
