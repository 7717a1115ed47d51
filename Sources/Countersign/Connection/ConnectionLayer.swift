// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// What is put on a channel, from the bottom up: TLS or HTTP.
enum ConnectionLayer {
    case tls(TLSHandshake)
    case http1(ChannelFailure, idleTimeout: Duration)
    case http2(HTTP2Streams, ChannelFailure)

    /// What puts the layer on a channel.
    var handlers: Handlers {
        switch self {
        case .tls(let handshake): .tls(handshake.pipeline)
        case .http1(let failure, let idleTimeout): .http1(failure, idleTimeout: idleTimeout)
        case .http2(let streams, let failure): .http2(streams, failure)
        }
    }

    /// `nil` without HTTP/2.
    var streams: HTTP2Streams? {
        if case .http2(let streams, _) = self { streams } else { nil }
    }

    /// The part of a layer that may cross to the event loop.
    enum Handlers: Sendable {
        case tls(TLSPipeline)
        case http1(ChannelFailure, idleTimeout: Duration)
        case http2(HTTP2Streams, ChannelFailure)

        /// Call it on the channel's event loop.
        func add(to channel: any Channel) throws {
            switch self {
            case .tls(let pipeline):
                return try pipeline.addHandlers(to: channel)
            case .http1(let failure, let idleTimeout):
                try HTTPConnection.addHandlers(to: channel, idleTimeout: idleTimeout, failure: failure)
            case .http2(let streams, let failure):
                try streams.addHandlers(to: channel, failure: failure)
            }
            // What came between the end of the handshake and now has waited.
            channel.pipeline.triggerUserOutboundEvent(TLSHandshakeMonitor.Listening(), promise: nil)
        }
    }
}
