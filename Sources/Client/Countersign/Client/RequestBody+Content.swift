// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
public import NIOCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
