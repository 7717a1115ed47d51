// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP2

/// Ends a connection of HTTP/2 on which much arrives that is no part of any response.
///
/// NIO (2.101, HTTP/2 1.38) reads what comes for a stream that was reset, frames that it does not know, and any number of updates
/// of windows, for as long as a server likes to send them.
final class HTTP2SurplusGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let streams: HTTP2Streams
    private let limit: Int
    private var surplus = 0

    /// - Parameters:
    ///   - streams: Those of the connection.
    ///   - limit: What may come between two parts of bodies, in bytes: all that is on its way when a response is given up.
    init(_ streams: HTTP2Streams, limit: Int) {
        self.streams = streams
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        surplus = streams.takeProgress() ? 0 : surplus + unwrapInboundIn(data).readableBytes
        guard surplus <= limit else {
            context.fireErrorCaught(ResponseSyntaxError.malformed(.http2))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}

/// Notes on one stream that a part of its response has come, or a part of its request gone, which the server says a word to.
final class HTTP2ProgressHandler: ChannelDuplexHandler, Sendable {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let streams: HTTP2Streams

    init(_ streams: HTTP2Streams) {
        self.streams = streams
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        note(unwrapOutboundIn(data))
        context.write(data, promise: promise)
    }

    private func note(_ payload: HTTP2Frame.FramePayload) {
        switch payload {
        case .headers: streams.noteProgress()
        case .data(let frame) where frame.data.readableBytes > 0: streams.noteProgress()
        default: break
        }
    }
}
