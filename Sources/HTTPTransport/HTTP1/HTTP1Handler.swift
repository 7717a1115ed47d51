// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Carries one exchange after the other over a connection of HTTP/1.
final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler, ExchangeCarrier {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = HTTPExchange
    typealias OutboundOut = ByteBuffer

    private let driver: ExchangeDriver
    private var wire: HTTP1Wire
    private var context: ChannelHandlerContext?
    private var readIsHeldBack = false

    /// - Parameters:
    ///   - lineEnding: How lines of a head may end.
    ///   - failure: Turns an error of the channel into the session's.
    ///   - watch: Looks how long the peer is silent in an exchange.
    ///   - eventLoop: The channel's.
    init(_ lineEnding: HeadLineEnding, failure: ChannelFailure, watch: IdleMonitor, eventLoop: any EventLoop) {
        wire = HTTP1Wire(lineEnding)
        driver = ExchangeDriver(.connection, failure: failure, watch: watch, eventLoop: eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        driver.attach(self)
    }

    /// Taken off for a tunnel: the answer to CONNECT has no body, and what follows is the origin's.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        driver.detach()
        if context.channel.isActive, let rest = wire.takeRest() { context.fireChannelRead(NIOAny(rest)) }
    }

    // MARK: The request

    /// The flush follows.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        driver.start(unwrapOutboundIn(data), departure: promise)
    }

    var isActive: Bool { context?.channel.isActive ?? false }

    func send(_ exchange: HTTPExchange, departure: EventLoopPromise<Void>?) throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        switch exchange.body {
        case .whole(nil) where exchange.limits.response == nil:
            // A head alone is taken to leave at once: to hear of it costs more than to write it.
            context.write(wrapOutboundOut(try wire.head(exchange)), promise: departure)
            driver.noteDeparture(isLast: true)
        case .whole(let body):
            try wire.write(exchange, whole: body) { part, isLast in
                let promise = isLast ? departure ?? context.eventLoop.makePromise() : context.eventLoop.makePromise()
                noteDeparture(promise, isLast: isLast)
                context.write(wrapOutboundOut(part), promise: promise)
            }
        case .following:
            context.write(wrapOutboundOut(try wire.head(exchange)), promise: departure)
        }
    }

    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        guard let context else { return departure.fail(ChannelError.ioOnClosedChannel) }
        noteDeparture(departure, isLast: false)
        for part in parts.dropLast() { context.write(wrapOutboundOut(wire.part(part)), promise: nil) }
        let last = parts.last ?? ByteBuffer()
        context.writeAndFlush(wrapOutboundOut(wire.part(last)), promise: departure)
    }

    func sendEnd(departure: EventLoopPromise<Void>) {
        guard let context else { return departure.fail(ChannelError.ioOnClosedChannel) }
        noteDeparture(departure, isLast: true)
        context.writeAndFlush(wrapOutboundOut(wire.end()), promise: departure)
    }

    private func noteDeparture(_ promise: EventLoopPromise<Void>, isLast: Bool) {
        promise.futureResult.assumeIsolated().whenSuccess { [driver] in driver.noteDeparture(isLast: isLast) }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        wire.append(unwrapInboundIn(data))
        do {
            while !driver.isClosed, let part = try wire.next() { driver.receive(part) }
        } catch {
            driver.fail(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        driver.readComplete()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { driver.fail(error) }

    func channelInactive(context: ChannelHandlerContext) {
        if let end = wire.close() { driver.receive(end) }
        if !driver.isClosed { driver.fail(ChannelError.eof) }
        context.fireChannelInactive()
    }

    // MARK: Back-pressure

    func read(context: ChannelHandlerContext) {
        guard driver.hasRoom else {
            readIsHeldBack = true
            return
        }
        context.read()
    }

    func resumeReading() {
        guard readIsHeldBack, let context else { return }
        readIsHeldBack = false
        context.read()
    }

    // MARK: The end

    func close() { context?.close(promise: nil) }

    func hangUp() { context?.channel.hangUp() }
}
