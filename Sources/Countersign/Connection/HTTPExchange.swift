// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// One request on its way through a connection, and where its response is awaited.
struct HTTPExchange: Sendable {
    struct Response: Sendable {
        let head: HTTPResponse
        let body: ResponseBody
    }

    /// What goes into a connection.
    enum Outbound: Sendable {
        case start(HTTPExchange)
        case part(ByteBuffer)
        case end
        case abort(any Error)
    }

    /// How the body comes.
    enum Body: Sendable {
        case whole(ByteBuffer?)
        /// In parts of its own, once the promise succeeds: when the server asks for it, or says nothing for so long. The promise fails
        /// where the server answers first.
        case following(permission: EventLoopPromise<Void>, continueTimeout: TimeAmount?)
    }

    /// How long the exchange may take.
    struct Limits: Sendable {
        /// From the end of the request to the first byte of the response.
        var response: TimeAmount?
        /// When the response must have been read whole.
        var deadline: NIODeadline?
    }

    let request: HTTPRequest
    /// Whether a proxy is asked for the resource itself.
    let isAbsoluteForm: Bool
    let body: Body
    let limits: Limits
    let response: EventLoopPromise<Response>
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    let completion: @Sendable (Bool) -> Void
}

/// The server did nothing with the request, and it can be sent again whatever its method (RFC 9110 section 9.2.2).
struct RequestNotProcessed: Error {
    /// What to say where it is not sent again.
    let reason: any Error

    init(reason: any Error) {
        self.reason = (reason as? Self)?.reason ?? reason
    }
}

/// The server wants the request over HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED).
struct HTTP1Required: Error {}
