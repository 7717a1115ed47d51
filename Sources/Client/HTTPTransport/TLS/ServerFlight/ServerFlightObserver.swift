// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Lets a handshake's bytes be read as they pass by on their way to NIOSSL, and leaves once enough is known; starts the clock
/// when the server can speak.
final class ServerFlightObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let observation: FlightObservation
    private let timer: HandshakeTimer

    init(_ observation: FlightObservation, timer: HandshakeTimer) {
        (self.observation, self.timer) = (observation, timer)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { timer.start(on: context.eventLoop) }
    }

    func channelActive(context: ChannelHandlerContext) {
        timer.start(on: context.eventLoop)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        observation.receive(unwrapInboundIn(data))
        context.fireChannelRead(data)
        // Perhaps only since the key log was called, further on.
        if observation.isDone { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        observation.finish()
    }
}
