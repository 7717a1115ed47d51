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

    let request: HTTPRequestHead
    let body: ByteBuffer?
    let response: EventLoopPromise<Response>
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    let completion: @Sendable (Bool) -> Void
}
