// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

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
    private var frames = HTTP2FrameCount()

    /// How many frames may come between two parts of bodies, which for the smallest is long before their bytes are too many.
    private static let frameLimit = 16 * 1024

    /// - Parameters:
    ///   - streams: Those of the connection.
    ///   - limit: What may come between two parts of bodies, in bytes: all that is on its way when a response is given up.
    init(_ streams: HTTP2Streams, limit: Int) {
        self.streams = streams
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if streams.takeProgress() {
            surplus = 0
            frames.restart()
        }
        surplus += buffer.readableBytes
        frames.note(buffer.readableBytesView)
        guard surplus <= limit, frames.count <= Self.frameLimit else {
            context.fireErrorCaught(ResponseSyntaxError.malformed(.http2))
            return context.channel.hangUp()
        }
        context.fireChannelRead(data)
    }
}
