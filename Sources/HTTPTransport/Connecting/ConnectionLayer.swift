// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A protocol that is put on a channel: TLS or HTTP.
enum ConnectionLayer: Sendable {
    /// With the streams that the connection has where the handshake agrees on HTTP/2.
    case tls(TLSHandshake, HTTP2Streams)
    case http1(ChannelFailure, ConnectionSettings)
    case http2(HTTP2Streams, ChannelFailure)

    /// `nil` without HTTP/2.
    var streams: HTTP2Streams? {
        if case .http2(let streams, _) = self { streams } else { nil }
    }

    /// Call it on the channel's event loop.
    func add(to channel: any Channel) throws {
        switch self {
        case .tls(let handshake, _):
            try handshake.pipeline.addHandlers(to: channel)
        case .http1(let failure, let settings):
            try HTTPConnection.addHandlers(to: channel, settings: settings, failure: failure)
        case .http2(let streams, let failure):
            try streams.addHandlers(to: channel, failure: failure)
        }
    }
}
