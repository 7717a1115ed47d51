// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Passes the parts that a channel reads to the task that serves it.
///
/// NIO (2.101) stops the process if a `NIOAsyncChannel` is released without having been served, which happens to a
/// connection that is accepted while the listener closes.
final class Reader<Part: Sendable>: ChannelInboundHandler, Sendable {
    typealias InboundIn = Part

    /// The parts; the stream ends when the other side closes.
    let parts: AsyncStream<Part>
    private let arrival: AsyncStream<Part>.Continuation

    init() { (parts, arrival) = AsyncStream.makeStream() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { arrival.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) { arrival.finish() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { arrival.finish() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
