// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import NIOSSL

extension ServerBootstrap {
    /// Binds an address; its connections read nothing until `beginReading`.
    ///
    /// NIO (2.101) stops the process when its wrapper is released without having been served, which happens to a connection that is
    /// accepted while the listener closes. A connection is therefore wrapped by the task that serves it at once.
    static func listenWithoutReading(
        on address: SocketAddress, tls: NIOSSLContext?
    ) async throws -> NIOAsyncChannel<any Channel, Never> {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            // With TLS, a client that closes its side would delay the server's close until a timeout.
            .childChannelOption(.allowRemoteHalfClosure, value: tls == nil)
            .bind(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
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

/// Holds the bytes that arrive before a connection is served: NIO reads them when the client closes, even without `autoRead`.
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
