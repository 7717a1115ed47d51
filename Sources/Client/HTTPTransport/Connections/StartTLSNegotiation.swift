// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// The request for TLS on a connection to a server of another protocol than HTTP.
struct StartTLSNegotiation: Sendable {
    let kind: StartTLS
    let endpoint: HostEndpoint
    /// The timeout for the complete exchange.
    let timeout: Duration
    fileprivate let progress: AsyncThrowingStream<Never, any Error>.Continuation
    private let end: AsyncThrowingStream<Never, any Error>

    init(_ kind: StartTLS, with endpoint: HostEndpoint, timeout: Duration) {
        (self.kind, self.endpoint, self.timeout) = (kind, endpoint, timeout)
        (end, progress) = AsyncThrowingStream.makeStream()
    }

    /// Adds the handler; call it on the channel's event loop.
    func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(StartTLSHandler(self))
    }

    /// Waits until the server expects the handshake.
    ///
    /// - Throws: ``TransportError``; `CancellationError` if the task is cancelled.
    func finish() async throws {
        for try await _ in end {}
        try Task.checkCancellation()
    }

    /// Replaces the handler by the layer of TLS.
    func replaceHandler(to layer: Connector.Layer, on channel: any Channel) async throws {
        do {
            try await layer.replace(StartTLSHandler.self, on: channel)
        } catch is ChannelError {
            throw TransportError.connectionLost(.origin(endpoint), .handshake)
        }
    }
}

/// A handler that asks for TLS on a channel, until the server expects the handshake.
final class StartTLSHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let negotiation: StartTLSNegotiation
    private var exchange: StartTLSExchange
    private var timer: Scheduled<Void>?

    init(_ negotiation: StartTLSNegotiation) {
        self.negotiation = negotiation
        exchange = StartTLSExchange(negotiation.kind, with: negotiation.endpoint.host)
    }

    private var peer: ConnectionPeer { .origin(negotiation.endpoint) }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let timeout = Timeout(negotiation.timeout, .handshake)
        timer = context.eventLoop.scheduleTask(in: TimeAmount(timeout.duration)) {
            let (handler, context) = bound.value
            handler.fail(TransportError.timedOut(handler.peer, .handshake, timeout), context)
        }
        send(exchange.opening, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(StartTLSExchange.Failure) {
            var action = try exchange.receive(unwrapInboundIn(data).readableBytesView)
            while case .send(let bytes) = action {
                send(bytes, context)
                // A further message may have arrived with the one before.
                action = try exchange.receive([])
            }
            guard action == .open else { return }
            timer?.cancel()
            negotiation.progress.finish()
        } catch {
            fail(TransportError.startTLSFailed(peer, negotiation.kind, error.problem), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(TransportError.connectionLost(peer, .handshake), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError.connectionLost(peer, .handshake), context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        timer?.cancel()
        negotiation.progress.finish(throwing: error)
        context.close(promise: nil)
    }
}
