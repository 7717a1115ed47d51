// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1

/// One request on its way through a connection, and where its response is awaited.
struct HTTPExchange: Sendable {
    struct Response: Sendable {
        let head: HTTPResponse
        let body: ResponseBody.Stream
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

    let request: HTTPRequestHead
    let body: Body
    let response: EventLoopPromise<Response>
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    let completion: @Sendable (Bool) -> Void
}
