// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import Secrets

/// A tunnel through a SOCKS proxy, which requests the login from the delegate if the proxy requires one.
struct SOCKSTunnel: Sendable {
    let proxy: HostEndpoint
    let destination: HostEndpoint
    /// The timeout for each message of the proxy; the time of the delegate is not counted.
    let timeout: Timeout
    let progress: AsyncThrowingStream<SOCKSHandler.Step, any Error>.Continuation
    private let steps: AsyncThrowingStream<SOCKSHandler.Step, any Error>

    init(proxy: HostEndpoint, destination: HostEndpoint, timeout: Timeout) {
        (self.proxy, self.destination, self.timeout) = (proxy, destination, timeout)
        (steps, progress) = AsyncThrowingStream.makeStream()
    }

    /// Adds the SOCKS handler; call it on the channel's event loop.
    func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(SOCKSHandler(self))
    }

    /// Opens the tunnel, after which the connection carries the destination's bytes.
    ///
    /// Throws ``ReconnectRequired`` if the login needs another connection: proxies read one login per connection (RFC
    /// 1929 section 2).
    func open(over channel: any Channel, delegate: any LeaseDelegate) async throws {
        var hasLoggedIn = false
        do {
            for try await step in steps {
                guard step == .loginRequested else {
                    if hasLoggedIn { delegate.socksLoginAccepted() }
                    return
                }
                try await logIn(over: channel, delegate: delegate)
                hasLoggedIn = true
            }
        } catch SOCKSExchange.Failure.loginRejected {
            try await delegate.socksLoginRejected()
            throw ReconnectRequired()
        } catch {
            // The connection may have failed because the task was cancelled.
            try Task.checkCancellation()
            throw error
        }
        throw CancellationError()
    }

    private func logIn(over channel: any Channel, delegate: any LeaseDelegate) async throws {
        let (login, wasKnown) = try await delegate.socksLogin()
        // The proxy may close the connection while a user enters the login.
        guard wasKnown || channel.isActive else { throw ReconnectRequired() }
        do {
            try await channel.triggerUserOutboundEvent(login).get()
        } catch let problem as SOCKSLoginProblem {
            throw TransportError.unsuitableSOCKSLogin(proxy, problem)
        } catch {
            throw TransportError.connectionLost(.proxy(proxy), .proxyTunnel)
        }
    }

    /// Replaces the SOCKS handler by the destination's layer, without losing bytes between them.
    func replaceHandler(to layer: Connector.Layer, on channel: any Channel) async throws {
        do {
            try await layer.replace(SOCKSHandler.self, on: channel)
        } catch is ChannelError {
            throw TransportError.connectionLost(.proxy(proxy), .proxyTunnel)
        }
    }
}

/// A handler that performs the SOCKS exchange on a channel until the tunnel is open.
final class SOCKSHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Step: Sendable {
        case loginRequested
        case opened
    }

    private var exchange: SOCKSExchange
    private let proxy: HostEndpoint
    private let destination: HostEndpoint
    private let timeout: Timeout
    private let steps: AsyncThrowingStream<Step, any Error>.Continuation
    private var timer: Scheduled<Void>?
    private var hasBegun = false

    init(_ tunnel: SOCKSTunnel) {
        exchange = SOCKSExchange(to: tunnel.destination)
        proxy = tunnel.proxy
        destination = tunnel.destination
        timeout = tunnel.timeout
        steps = tunnel.progress
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun else { return }
        hasBegun = true
        send(exchange.greeting, context, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            switch try exchange.receive(unwrapInboundIn(data).readableBytesView) {
            case .send(let bytes):
                send(bytes, context, promise: nil)
            case .askForLogin:
                // The user may take any time to enter the login.
                timer?.cancel()
                steps.yield(.loginRequested)
            case .open:
                timer?.cancel()
                steps.yield(.opened)
            case nil: break
            }
        } catch {
            fail(transportError(error), context)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let login = event as? SOCKSLogin else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        do {
            send(try exchange.logIn(user: login.user, password: login.password), context, promise: promise)
        } catch {
            promise?.fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(TransportError.connectionLost(.proxy(proxy), .proxyTunnel), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError.connectionLost(.proxy(proxy), .proxyTunnel), context)
    }

    /// Passes the destination's bytes that have already arrived to the next handler.
    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if !exchange.received.isEmpty {
            context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: exchange.received)))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    /// Sends a message, and starts the timeout for the complete reply: bytes that trickle in do not extend it.
    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        timer?.cancel()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: TimeAmount(timeout.duration)) {
            let (handler, context) = bound.value
            handler.fail(TransportError.timedOut(.proxy(handler.proxy), .proxyTunnel, handler.timeout), context)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        timer?.cancel()
        steps.finish(throwing: error)
        context.close(promise: nil)
    }

    private func transportError(_ failure: SOCKSExchange.Failure) -> any Error {
        switch failure {
        case .refused(let refusal): TransportError.socksRefused(proxy, destination: destination, refusal)
        case .malformed(let reason): TransportError.malformedSOCKS(proxy, reason)
        case .loginRejected: failure
        }
    }
}
