// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Passes what arrives on one channel to another, no faster than the other takes it.
final class RelayHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var partner: RelayHandler?
    private var context: ChannelHandlerContext?
    private var readIsHeldBack = false

    /// Two handlers for two channels of one event loop.
    static func pair() -> (RelayHandler, RelayHandler) {
        let (first, second) = (RelayHandler(), RelayHandler())
        first.partner = second
        second.partner = first
        return (first, second)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        partner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner?.context?.write(NIOAny(unwrapInboundIn(data)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        partner?.context?.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner?.context?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        partner?.resumeReading()
    }

    func read(context: ChannelHandlerContext) {
        guard partner?.context?.channel.isWritable != false else {
            readIsHeldBack = true
            return
        }
        context.read()
    }

    private func resumeReading() {
        guard readIsHeldBack else { return }
        readIsHeldBack = false
        context?.read()
    }
}
