// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
public import NIOCore
import POSIX

/// Limits the number of a server's connections, and pauses accepting while the system has no resources for more.
///
/// It must be first in the pipeline of the listening channel. Without it, an error of accept(2), for example for lack
/// of file descriptors, ends the server's stream of connections, while the listening socket remains readable and uses
/// all of a processor.
///
/// While paused, it signals the connections every second (``ServerConnectionShortage``), so that those without a
/// request end, as in nginx: idle clients cannot keep others from connecting.
public final class ConnectionAcceptance: ChannelDuplexHandler, RemovableChannelHandler {
    /// The accepted channel.
    public typealias InboundIn = any Channel
    /// The accepted channel.
    public typealias InboundOut = any Channel
    /// No data is written to a listening channel.
    public typealias OutboundIn = Never
    /// No data is written to a listening channel.
    public typealias OutboundOut = Never

    /// The number of descriptors reserved for handling requests.
    private static let reserve = 32
    /// The first and the longest pause after consecutive errors, as in Go's server.
    private static let pauses = (first: TimeAmount.milliseconds(5), longest: TimeAmount.seconds(1))

    private let maximum: Int
    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var isPaused = false
    private var nextPause = pauses.first
    private var timer: Scheduled<Void>?

    /// Creates the handler for a listening channel.
    ///
    /// - Parameter maximum: The maximum number of open connections, at least 1; further
    ///   ones wait in the system's queue. The number is reduced if the process's limit
    ///   on descriptors is low, so that some remain for handling requests.
    public init(maximum: Int) {
        let remaining = FileDescriptors.remaining
        self.maximum = max(1, min(maximum, max(remaining - Self.reserve, remaining / 2)))
    }

    /// Counts a connection, and passes it to the next handler.
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

    /// Pauses after an error from which accept(2) recovers; other errors are passed to the next handler.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            pause(context)
            resume(context, in: nextPause)
            nextPause = min(nextPause * 2, Self.pauses.longest)
        // The client closed the connection while it was in the queue.
        case ECONNABORTED: break
        default: context.fireErrorCaught(error)
        }
    }

    /// Reads connections unless accepting is paused.
    public func read(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
    }

    /// Cancels the channel's timer.
    public func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func pause(_ context: ChannelHandlerContext) {
        // Only this option cancels a read that is pending after an error.
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

/// An event that informs connections that their server cannot accept more.
public struct ServerConnectionShortage: Sendable {
    /// Creates the event.
    public init() {}
}
