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
    private let streamLimit: Int
    private var surplus = 0
    private var counter = HTTP2FrameCounter()
    private var frames = 0

    /// How many frames that are no DATA may come between two parts of responses: a server that only asks every few seconds whether
    /// the client is there needs hours for them, and one that floods less than a second.
    private static let frameLimit = 10_000

    /// - Parameters:
    ///   - streams: Those of the connection.
    ///   - limit: What may come between two parts of bodies, in bytes: all that is on its way when a response is given up.
    ///   - streamLimit: What may come on top for every stream that is open, in bytes: NIO holds it back for as long as its reader lets
    ///     it wait.
    init(_ streams: HTTP2Streams, limit: Int, streamLimit: Int) {
        self.streams = streams
        (self.limit, self.streamLimit) = (limit, streamLimit)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        streams.probe.noteHeard()
        let buffer = unwrapInboundIn(data)
        let begun = buffer.withUnsafeReadableBytes { counter.read($0) }
        (surplus, frames) = streams.takeProgress() ? (0, 0) : (surplus + buffer.readableBytes, frames + begun)
        guard surplus <= limit || surplus <= limit + streams.openCount * streamLimit, frames <= Self.frameLimit else {
            context.fireErrorCaught(ResponseSyntaxError.malformed(.http2))
            return context.channel.hangUp()
        }
        context.fireChannelRead(data)
    }
}
