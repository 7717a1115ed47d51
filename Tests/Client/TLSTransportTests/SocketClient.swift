// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import TLSTransport

/// A client on a socket, whose events are a sequence.
struct SocketClient: Sendable {
    enum Event: Sendable {
        case requested(TLSIdentityRequest)
        case sessionReceived
        case received(ByteBuffer)
        case failed(any Error)
    }

    let channel: any Channel
    let events: AsyncStream<Event>

    /// Connects, and sends bytes after the handshake.
    init(
        to address: SocketAddress, sending bytes: ByteBuffer, identity: TLSIdentity? = nil,
        readsAutomatically: Bool = true
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: readsAutomatically)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let delegate = SocketDelegate(continuation, bytes, identity, readsAutomatically)
                    let engine = try TLSEngine(TLSClientSettings(serverName: "a.test"))
                    try channel.pipeline.syncOperations.addHandler(TLSClientHandler(engine, delegate: delegate))
                }
            }
            .connect(to: address).get()
        if !readsAutomatically { channel.read() }
    }
}

private final class SocketDelegate: TLSClientDelegate {
    private let events: AsyncStream<SocketClient.Event>.Continuation
    private let bytes: ByteBuffer
    private let identity: TLSIdentity?
    private let readsAutomatically: Bool

    init(
        _ events: AsyncStream<SocketClient.Event>.Continuation, _ bytes: ByteBuffer, _ identity: TLSIdentity?,
        _ readsAutomatically: Bool
    ) {
        (self.events, self.bytes, self.identity) = (events, bytes, identity)
        self.readsAutomatically = readsAutomatically
    }

    func handshakeStarted(on channel: any Channel) -> TLSSession? { nil }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) {
        promise.completeWithTask { await Task.yield() }
    }

    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        events.yield(.requested(request))
        promise.completeWithTask { [identity] in
            await Task.yield()
            return identity
        }
    }

    func sessionReceived(_ session: TLSSession) { events.yield(.sessionReceived) }

    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {
        switch result {
        case .success:
            let handler = SocketReader(events, bytes, readsAutomatically)
            try? channel.pipeline.syncOperations.addHandler(handler)
        case .failure(let error):
            events.yield(.failed(error))
            events.finish()
        }
    }
}

private final class SocketReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let events: AsyncStream<SocketClient.Event>.Continuation
    private let bytes: ByteBuffer
    private let readsAutomatically: Bool

    init(_ events: AsyncStream<SocketClient.Event>.Continuation, _ bytes: ByteBuffer, _ readsAutomatically: Bool) {
        (self.events, self.bytes, self.readsAutomatically) = (events, bytes, readsAutomatically)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { events.yield(.received(unwrapInboundIn(data))) }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !readsAutomatically { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { events.yield(.failed(error)) }

    func channelInactive(context: ChannelHandlerContext) { events.finish() }
}

/// A server that returns the bytes it receives.
final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let engine: ServerEngine
    private var echoedCount = 0

    init(_ engine: ServerEngine) { self.engine = engine }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        engine.receive(unwrapInboundIn(data).readableBytesView)
        let fresh = engine.received[echoedCount...]
        echoedCount += fresh.count
        if !fresh.isEmpty { engine.send(Array(fresh)) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: engine.takeOutput())), promise: nil)
        if engine.hasReceivedCloseNotify { context.close(promise: nil) }
    }
}
