// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

extension ServerBootstrap {
    /// Binds a port of loopback whose connections read nothing until somebody serves them.
    ///
    /// NIO (2.101) ends the process where its wrapper goes without having been served, as it does for one that is accepted while
    /// the listener closes; so what is accepted is wrapped only by whoever serves it at once.
    static func listenWithoutReading() async throws -> NIOAsyncChannel<any Channel, Never> {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EarlyBytes())
                    return channel
                }
            }
    }
}

extension Channel {
    /// Begins to read from a channel that has not read yet (`autoRead` is off).
    func beginReading() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await eventLoop.submit {
            try self.syncOptions?.setOption(.autoRead, value: true)
            let wrapper = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: self)
            try? self.pipeline.syncOperations.handler(type: EarlyBytes.self).letGo()
            return wrapper
        }.get()
    }
}

/// Keeps what arrives before anybody serves a connection: NIO reads all there is when a client closes, whether or not it may read.
private final class EarlyBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isServed = false
    private var held: [NIOAny] = []
    private var events: [Any] = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isServed { context.fireChannelRead(data) } else { held.append(data) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isServed { context.fireUserInboundEventTriggered(event) } else { events.append(event) }
    }

    func letGo() {
        isServed = true
        guard let context else { return }
        for data in held { context.fireChannelRead(data) }
        if !held.isEmpty { context.fireChannelReadComplete() }
        for event in events { context.fireUserInboundEventTriggered(event) }
        (held, events) = ([], [])
    }
}
