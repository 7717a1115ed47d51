// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A protocol that is put on a channel: TLS or HTTP.
enum ConnectionLayer: Sendable {
    /// With the streams that the connection has where the handshake agrees on HTTP/2.
    case tls(TLSHandshake, HTTP2Streams)
    case http1(ChannelFailure, ConnectionSettings)
    case http2(HTTP2Streams, ChannelFailure, ConnectionSettings)

    /// `nil` without HTTP/2.
    var streams: HTTP2Streams? {
        if case .http2(let streams, _, _) = self { streams } else { nil }
    }

    /// Adds the layer's handlers, whose bytes are what the layer below has decrypted; call it on the channel's event loop.
    func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        switch self {
        case .tls(let handshake, _):
            try handshake.pipeline.addHandlers(to: channel)
        case .http1(let failure, let settings):
            let watch = IdleMonitor(limit: settings.idleTimeout, on: channel.eventLoop)
            try pipeline.addHandler(
                HTTP1Handler(settings.lineEnding, failure: failure, watch: watch, eventLoop: channel.eventLoop))
        case .http2(let streams, let failure, let settings):
            let watch = IdleMonitor(limit: settings.idleTimeout, on: channel.eventLoop)
            try pipeline.addHandler(HTTP2ConnectionHandler(streams, failure: failure, watch: watch))
        }
    }

    /// Takes the place of the handler that opened a tunnel, which passes on the bytes that it has not read.
    ///
    /// Both happen in one turn of the event loop, so that no byte is lost between them.
    ///
    /// - Parameters:
    ///   - type: The type of the handler.
    ///   - channel: The connection to the proxy.
    ///   - prepare: Called with the handler before it leaves.
    /// - Throws: `ChannelError` where the connection is closed, and what adding the layer throws.
    func replace<Handler: RemovableChannelHandler & SendableMetatype>(
        _ type: Handler.Type, on channel: any Channel, prepare: @escaping @Sendable (Handler) -> Void = { _ in }
    ) async throws {
        try await channel.eventLoop.flatSubmit {
            let pipeline = channel.pipeline.syncOperations
            do {
                // The next handler would wait for an end that it cannot see any more.
                guard channel.isActive else { throw ChannelError.eof }
                let handler = try pipeline.handler(type: type)
                prepare(handler)
                try add(to: channel)
                return pipeline.removeHandler(handler)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }
}
