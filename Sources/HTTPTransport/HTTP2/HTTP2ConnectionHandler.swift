// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP2

/// Listens to what a server says of its connection as a whole (RFC 9113 section 6).
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let streams: HTTP2Streams
    private let failure: ChannelFailure

    init(_ streams: HTTP2Streams, failure: ChannelFailure) {
        self.streams = streams
        self.failure = failure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    /// Of the sockets to several addresses only one becomes active, and streams are opened there.
    private func begin(_ context: ChannelHandlerContext) {
        do {
            let handler = try context.pipeline.syncOperations.handler(type: NIOHTTP2Handler.self)
            streams.begin(with: try handler.syncMultiplexer(), on: context.eventLoop)
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            for setting in settings where setting.parameter == .maxConcurrentStreams {
                streams.setLimit(setting.value)
            }
        case .goAway:
            streams.drain()
        default:
            break
        }
    }

    /// A connection whose protocol is broken serves no stream any more; each of them fails with the reason.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is NIOHTTP2Errors.StreamError) else { return }
        failure.record.note { $0.lateFailure = $0.lateFailure ?? error }
        streams.drain()
        context.channel.hangUp()
    }

    func channelInactive(context: ChannelHandlerContext) {
        streams.end()
        context.fireChannelInactive()
    }
}

extension HTTP2Streams {
    /// How much a server may send of one body before it is read, in bytes.
    private static let streamWindow = 1 << 20

    /// The same of all bodies of a connection together.
    private static let connectionWindow = 8 << 20

    /// Puts HTTP/2 on a channel whose bytes are what the peer sent, decrypted; call it on the channel's event loop.
    func addHandlers(to channel: any Channel, failure: ChannelFailure) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HTTPConnection.headLimit),
        ]
        connection.targetWindowSize = Self.connectionWindow
        // What is on its way for a stream that was given up is no error of the server's, however many were.
        connection.maximumRecentlyResetStreams = 1024
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Self.streamWindow
        stream.outboundBufferSizeHighWatermark = 256 * 1024
        stream.outboundBufferSizeLowWatermark = 64 * 1024
        let handler = NIOHTTP2Handler(
            mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: stream
        ) { pushed in
            // The settings forbid pushes (RFC 9113 section 8.4).
            pushed.close()
        }
        try channel.pipeline.syncOperations.addHandlers(
            HTTP2FlushCollector(), HTTP2PrefaceCheck(),
            // NIO (HTTP/2 1.38) gives a stream twice its window where it was opened before the server acknowledged the settings.
            HTTP2SurplusGuard(self, limit: Self.connectionWindow, streamLimit: 2 * Self.streamWindow), handler,
            HTTP2ConnectionHandler(self, failure: failure))
    }
}
