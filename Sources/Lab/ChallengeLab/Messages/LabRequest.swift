// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A received request.
package struct LabRequest: Sendable {
    package let head: HTTPRequest
    /// The request target in the received form (RFC 9112 section 3.2).
    package let target: String
    package var body: LabBody

    init(_ head: HTTPRequestHead, isSecure: Bool, body: LabBody = LabBody()) throws {
        self.body = body
        self.head = try HTTPRequest(head, secure: isSecure, splitCookie: false)
        target = head.uri
    }
}

/// The body of a request: its length, and its bytes or their hash if the server's service or gate needs them.
package struct LabBody: Sendable {
    /// The data about a body that is collected while it arrives.
    package struct Use: Hashable, Sendable {
        /// Whether the bytes are collected for the service.
        var isGathered = false
        /// The hash function of the gate; `nil` for none.
        var hash: DigestHash?
    }

    /// The length in bytes.
    package private(set) var length = 0
    /// The collected bytes; empty if they are not collected.
    package private(set) var bytes = ByteBuffer()
    private let isGathered: Bool
    private var hasher: BodyHasher?

    package init(_ use: Use = Use()) {
        isGathered = use.isGathered
        hasher = use.hash.map(BodyHasher.init)
    }

    mutating func append(_ part: ByteBuffer) {
        length += part.readableBytes
        hasher?.update(part)
        if isGathered { bytes.writeImmutableBuffer(part) }
    }

    /// The hash of all bytes in hexadecimal digits; `nil` if the body is not hashed.
    var digest: String? { hasher?.digest }
}
