// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
public import NIOCore
import POSIX

/// Bounds the number of a server's connections, and has it wait while the system gives it no more.
///
/// It stands first in the pipeline of the listening channel. Without it an error of accept(2), such as that no file descriptor is left, ends
/// the stream of connections that a server reads, while the listening socket stays readable and takes a whole processor.
///
/// While it waits, it has connections without a request end every second (``ServerConnectionShortage``), as nginx has: clients that say
/// nothing do not keep out others.
public final class ConnectionAcceptance: ChannelDuplexHandler, RemovableChannelHandler {
    /// The accepted channel.
    public typealias InboundIn = any Channel
    /// The accepted channel.
    public typealias InboundOut = any Channel
    /// Nothing is written to a listening channel.
    public typealias OutboundIn = Never
    /// Nothing is written to a listening channel.
    public typealias OutboundOut = Never

    /// The number of descriptors that are left for answering.
    private static let reserve = 32
    /// The pauses after errors in a row, as in Go's server.
    private static let pauses = (first: TimeAmount.milliseconds(5), longest: TimeAmount.seconds(1))

    private let maximum: Int
    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var isPaused = false
    private var nextPause = pauses.first
    private var timer: Scheduled<Void>?

    /// Creates the handler of one listening channel.
    ///
    /// - Parameter maximum: The maximum number of open connections, 1 or more; others wait in the system's queue. It is less if the process
    ///   may have fewer descriptors, so that some are left for answering.
    public init(maximum: Int) {
        let remaining = FileDescriptors.remaining
        self.maximum = max(1, min(maximum, max(remaining - Self.reserve, remaining / 2)))
    }

    /// Counts a connection, and passes it on.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let identifier = ObjectIdentifier(connection)
        connections[identifier] = connection
        nextPause = Self.pauses.first
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        connection.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.connections[identifier] = nil
            if handler.connections.count < handler.maximum { handler.resume(context) }
        }
        context.fireChannelRead(data)
        if connections.count >= maximum { pause(context) }
    }

    /// Waits after an error from which accept(2) recovers; other errors go on.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            pause(context)
            resume(context, in: nextPause)
            nextPause = min(nextPause * 2, Self.pauses.longest)
        // The client went away while it waited.
        case ECONNABORTED: break
        default: context.fireErrorCaught(error)
        }
    }

    /// Reads no connection while it waits.
    public func read(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
    }

    /// Forgets the channel's timer.
    public func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func pause(_ context: ChannelHandlerContext) {
        // A read that is pending after an error can be taken back by this option alone.
        if !isPaused { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        isPaused = true
        for connection in connections.values {
            connection.pipeline.fireUserInboundEventTriggered(ServerConnectionShortage())
        }
        resume(context, in: Self.pauses.longest)
    }

    private func resume(_ context: ChannelHandlerContext, in time: TimeAmount) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer?.cancel()
        timer = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.resume(context)
        }
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard isPaused else { return }
        guard connections.count < maximum else { return pause(context) }
        isPaused = false
        timer?.cancel()
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
}

/// An event by which connections learn that their server cannot accept others.
public struct ServerConnectionShortage: Sendable {
    /// Creates the event.
    public init() {}
}
