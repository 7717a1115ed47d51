// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A request as it arrived.
package struct LabRequest: Sendable {
    package let head: HTTPRequest
    /// The request-target in the form that was sent (RFC 9112 section 3.2).
    package let target: String
    package var body: LabBody

    init(_ head: HTTPRequestHead, isSecure: Bool, body: LabBody = LabBody()) throws {
        self.body = body
        self.head = try HTTPRequest(head, secure: isSecure, splitCookie: false)
        target = head.uri
    }
}

/// The body of a request: its length, and only what the server's gate and service ask of its bytes.
package struct LabBody: Sendable {
    /// What is kept while a body arrives.
    package struct Use: Hashable, Sendable {
        /// Whether the service reads the bytes.
        var isGathered = false
        /// With what the gate hashes them.
        var hash: DigestHash?
    }

    /// In bytes.
    package private(set) var length = 0
    /// Empty where the bytes are not gathered.
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

    /// The hash of all bytes in hexadecimal; `nil` where the body is not hashed.
    var digest: String? { hasher?.digest }
}
