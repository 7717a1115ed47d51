// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A handler that reads the handshake's bytes before they reach NIOSSL, and removes itself when no further input is
/// needed; it also starts the timer when the connection is open.
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
        // The observation may also have ended in the key log callback, in a later handler.
        if observation.isDone { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        observation.finish()
    }
}
