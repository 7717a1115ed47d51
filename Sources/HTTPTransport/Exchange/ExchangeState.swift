// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// How far an exchange has come on its connection.
///
/// It is no part of the handler, which is generic: what is generic costs a look-up each time that it is copied.
enum ExchangeState {
    case idle
    case awaitingHead(HTTPExchange)
    case arriving(Arriving)
    case receiving(Incoming)
    case closed

    /// Holds nothing of the response itself: a body that its reader drops could not be told from one that is read later.
    struct Incoming {
        let exchange: HTTPExchange
        let body: BodyQueue
        let keepsAlive: Bool
        let expected: Int?
        var received = 0
    }

    /// A response that is held for a moment, because most arrive at once and are delivered whole.
    ///
    /// It is a class: each part that comes would copy all before it.
    final class Arriving {
        let exchange: HTTPExchange
        let head: HTTPResponse
        let keepsAlive: Bool
        var parts: [ByteBuffer] = []
        var size = 0

        init(exchange: HTTPExchange, head: HTTPResponse, keepsAlive: Bool) {
            (self.exchange, self.head, self.keepsAlive) = (exchange, head, keepsAlive)
        }
    }

    /// How far the request's body has come.
    enum Upload {
        /// It has left.
        case complete
        /// Parts of it are still to come.
        case waiting
        /// Nothing more of it comes, and what there is has not left yet: a window of the server's may hold it back.
        case leaving
        case unwanted
    }
}
