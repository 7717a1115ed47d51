// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1

/// A server's response to a request.
enum LabReply: Sendable {
    /// A response with a body in memory.
    case message(HTTPResponse, [UInt8])
    /// A response with a body of zeros, which is generated while it is sent.
    case zeros(count: Int, isChunked: Bool)
    /// A response with a body in pieces, each preceded by a pause.
    case drip([UInt8], pieces: Int, pause: TimeAmount)
    /// A response with a body that is shorter than its Content-Length.
    case truncated(promised: Int, sent: Int)
    /// No response.
    case silence
    /// A fault, which takes over the connection.
    case fault(Fault)
    /// A tunnel to a loopback port, which takes over the connection.
    case tunnel(port: Int)
    /// The response of a server at a loopback port to a request with this head and the client's body.
    case forward(HTTPRequestHead, port: Int)

    static func text(
        _ text: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], type: String = "text/plain"
    ) -> Self {
        var fields = fields
        fields[.contentType] = type
        return .message(HTTPResponse(status: status, headerFields: fields), Array(text.utf8))
    }
}
