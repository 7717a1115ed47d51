// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// What is put on a channel, from the bottom up: TLS or HTTP.
enum ConnectionLayer {
    case tls(TLSHandshake)
    case http(ChannelFailure, idleTimeout: Duration)

    /// What puts the layer on a channel.
    var handlers: Handlers {
        switch self {
        case .tls(let handshake): .tls(handshake.pipeline)
        case .http(let failure, let idleTimeout): .http(failure, idleTimeout: idleTimeout)
        }
    }

    /// The part of a layer that may cross to the event loop.
    enum Handlers: Sendable {
        case tls(TLSPipeline)
        case http(ChannelFailure, idleTimeout: Duration)

        /// Call it on the channel's event loop.
        func add(to channel: any Channel) throws {
            switch self {
            case .tls(let pipeline):
                try pipeline.addHandlers(to: channel)
            case .http(let failure, let idleTimeout):
                try HTTPConnection.addHandlers(to: channel, idleTimeout: idleTimeout, failure: failure)
            }
        }
    }
}
