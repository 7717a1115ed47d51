// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import TLSTransport
import Testing

/// A client on a socket, whose events are a sequence.
struct SocketClient: Sendable {
    enum Event: Sendable {
        case connected(TLSConnectionFacts)
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
        refusal: TLSAlert? = nil, readsAutomatically: Bool = true, settings: TLSClientSettings
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: readsAutomatically)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let delegate = SocketDelegate(continuation, bytes, identity, refusal, readsAutomatically)
                    let engine = try TLSEngine(settings)
                    try channel.pipeline.syncOperations.addHandler(TLSClientHandler(engine, delegate: delegate))
                }
            }
            .connect(to: address).get()
        if !readsAutomatically { channel.read() }
    }

    /// Returns the first of the next events for which a closure has a result; `nil` if a failure or the end precedes it.
    func first<Value>(_ select: (Event) -> Value?) async -> Value? {
        for await event in events {
            if let value = select(event) { return value }
            if case .failed(let error) = event {
                Issue.record(error)
                return nil
            }
        }
        return nil
    }

    /// Returns the properties of the connection.
    func facts() async -> TLSConnectionFacts? {
        await first { if case .connected(let facts) = $0 { facts } else { nil } }
    }

    /// Returns the next request for an identity.
    func request() async -> TLSIdentityRequest? {
        await first { if case .requested(let request) = $0 { request } else { nil } }
    }

    /// Returns the next text.
    func text() async -> String? {
        await first { if case .received(let bytes) = $0 { String(buffer: bytes) } else { nil } }
    }

    /// Returns the failure.
    func failure() async -> (any Error)? {
        for await event in events {
            if case .failed(let error) = event { return error }
        }
        return nil
    }
}

private final class SocketDelegate: TLSClientDelegate {
    private let events: AsyncStream<SocketClient.Event>.Continuation
    private let bytes: ByteBuffer
    private let identity: TLSIdentity?
    private let refusal: TLSAlert?
    private let readsAutomatically: Bool

    init(
        _ events: AsyncStream<SocketClient.Event>.Continuation, _ bytes: ByteBuffer, _ identity: TLSIdentity?,
        _ refusal: TLSAlert?, _ readsAutomatically: Bool
    ) {
        (self.events, self.bytes, self.identity, self.refusal) = (events, bytes, identity, refusal)
        self.readsAutomatically = readsAutomatically
    }

    func handshakeStarted(on channel: any Channel) -> TLSSession? { nil }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) {
        promise.completeWithTask { [refusal] in
            await Task.yield()
            if let refusal { throw TLSRefusal(refusal, because: TLSFailure.refused(refusal)) }
        }
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
        case .success(let facts):
            events.yield(.connected(facts))
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

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
}
