// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
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
