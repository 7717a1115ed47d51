// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1

/// What a server does with a request: a value, so that every fault is one too.
enum LabReply: Sendable {
    /// A body from memory.
    case message(HTTPResponse, [UInt8])
    /// A body of zeros, made while it is sent.
    case zeros(count: Int, isChunked: Bool)
    /// A body sent in pieces, a pause before each.
    case drip([UInt8], pieces: Int, pause: TimeAmount)
    /// A length promised and not kept.
    case truncated(promised: Int, sent: Int)
    /// Nothing, ever.
    case silence
    /// Whatever a fault says, from now on.
    case fault(Fault)
    /// The bytes of a connection to a port of loopback, from now on.
    case tunnel(port: Int)
    /// What a server at a port of loopback replies to a request with this head and the client's body.
    case forward(HTTPRequestHead, port: Int)

    static func text(
        _ text: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], type: String = "text/plain"
    ) -> Self {
        var fields = fields
        fields[.contentType] = type
        return .message(HTTPResponse(status: status, headerFields: fields), Array(text.utf8))
    }
}
