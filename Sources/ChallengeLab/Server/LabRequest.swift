// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A request as it arrived.
struct LabRequest: Sendable {
    let head: HTTPRequest
    /// The request-target in the form that was sent (RFC 9112 section 3.2).
    let target: String
    var body = ByteBuffer()

    init(_ head: HTTPRequestHead, isSecure: Bool) throws {
        self.head = try HTTPRequest(head, secure: isSecure, splitCookie: false)
        target = head.uri
    }
}
