// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The body of a request: bytes in memory, or parts that are produced while they are sent.
package struct OutgoingBody: Sendable {
    /// Takes a part, and returns when the connection has room for the next one.
    package typealias Sink = @Sendable (ByteBuffer) async throws -> Void

    /// The content of a body.
    package enum Content: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A function that produces the parts, and passes each to the sink.
        case parts(@Sendable (Sink) async throws -> Void)
    }

    /// The length in bytes; `nil` where it is not known before the body is sent.
    package let length: Int?
    /// The content.
    package let content: Content

    package init(length: Int?, content: Content) {
        (self.length, self.content) = (length, content)
    }

    /// The bytes of a body in memory; `nil` where the body is produced while it is sent.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }
}
