// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Carries one exchange after the other over a connection of HTTP/1, until a tunnel takes the connection.
final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler, ExchangeCarrier {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let failure: ChannelFailure
    private let driver: ExchangeDriver
    private var encoder = HTTP1RequestEncoder()
    private var parser: ResponseParser
    private var context: ChannelHandlerContext?
    private var readIsHeldBack = false

    /// - Parameters:
    ///   - lineEnding: How lines of a head may end.
    ///   - failure: Turns an error of the channel into the session's.
    ///   - watch: Looks how long the peer is silent in an exchange.
    ///   - eventLoop: The channel's.
    init(_ lineEnding: HeadLineEnding, failure: ChannelFailure, watch: IdleMonitor, eventLoop: any EventLoop) {
        self.failure = failure
        parser = ResponseParser(headLimit: HeadLimit.size, lineEnding: lineEnding)
        driver = ExchangeDriver(.connection, failure: failure, watch: watch, eventLoop: eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        driver.attach(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        driver.detach()
    }

    // MARK: Tunnels

    /// Ends HTTP for a tunnel: the response to CONNECT has no body, and the bytes behind it wait for the next handler.
    func detach() { driver.detach() }

    /// Drops the bytes that wait for the next handler.
    func dropRest() { _ = takeRest() }

    /// Passes the bytes of the target that have arrived already to the next handler.
    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if let rest = takeRest() {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    /// The bytes behind the response that opened the tunnel.
    private func takeRest() -> ByteBuffer? { parser.isTunnel ? parser.takeRest() : nil }

    // MARK: The request

    /// Starts an exchange; call it on the connection's event loop.
    func begin(_ exchange: HTTPExchange) {
        let departure = departure(of: exchange)
        driver.start(exchange, departure: departure) { try send(exchange, departure: departure) }
        context?.flush()
    }

    /// What may be repeated needs no word of the write: whatever ends the connection fails the exchange too.
    private func departure(of exchange: HTTPExchange) -> EventLoopPromise<Void>? {
        guard !exchange.mayBeRepeated, let eventLoop = context?.eventLoop else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenFailure { [failure] error in
            // Behind what is heard in the same turn: a response that came early, the end of the connection.
            eventLoop.execute { exchange.fail(failure.notSent(error)) }
        }
        return promise
    }

    var isActive: Bool { context?.channel.isActive ?? false }

    /// Writes a request, or its head where the body follows.
    ///
    /// - Parameters:
    ///   - exchange: Holds the request.
    ///   - departure: Completed when the request has left, where it is complete, or its head has.
    /// - Throws: What cannot be written.
    private func send(_ exchange: HTTPExchange, departure: EventLoopPromise<Void>?) throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        let method = exchange.request.method
        parser.expect(.init(isHead: method == .head, isConnect: method == .connect))
        switch exchange.body {
        case .whole(nil) where exchange.limits.response == nil:
            // A head alone is taken to leave at once: to hear of it costs more than to write it.
            context.write(wrapOutboundOut(try encoder.head(exchange)), promise: departure)
            driver.noteDeparture(isLast: true)
        case .whole(let body):
            try encoder.write(exchange, whole: body) { part, isLast in
                let promise = isLast ? departure ?? context.eventLoop.makePromise() : context.eventLoop.makePromise()
                noteDeparture(promise, isLast: isLast)
                context.write(wrapOutboundOut(part), promise: promise)
            }
        case .following:
            context.write(wrapOutboundOut(try encoder.head(exchange)), promise: departure)
        }
    }

    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        guard let context else { return departure.fail(ChannelError.ioOnClosedChannel) }
        noteDeparture(departure, isLast: false)
        for part in parts.dropLast() { context.write(wrapOutboundOut(encoder.part(part)), promise: nil) }
        let last = parts.last ?? ByteBuffer()
        context.writeAndFlush(wrapOutboundOut(encoder.part(last)), promise: departure)
    }

    func sendEnd(departure: EventLoopPromise<Void>) {
        guard let context else { return departure.fail(ChannelError.ioOnClosedChannel) }
        noteDeparture(departure, isLast: true)
        context.writeAndFlush(wrapOutboundOut(encoder.end()), promise: departure)
    }

    private func noteDeparture(_ promise: EventLoopPromise<Void>, isLast: Bool) {
        promise.futureResult.assumeIsolated().whenSuccess { [driver] in driver.noteDeparture(isLast: isLast) }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parser.append(unwrapInboundIn(data))
        do {
            while !driver.isClosed, let part = try parser.next() { driver.receive(ExchangePart(part)) }
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
        if let end = parser.close() { driver.receive(ExchangePart(end)) }
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

extension ExchangePart {
    fileprivate init(_ part: ResponseParser.Part) {
        self =
            switch part {
            case .head(let head, _) where head.status < 200: .information(.init(code: head.status))
            case .head(let head, let framing):
                .head(
                    HTTPResponse(
                        status: .init(code: head.status, reasonPhrase: head.reason), headerFields: head.fields),
                    keepsAlive: head.keepsAlive(framing), isWhole: false)
            case .body(let buffer): .body(buffer, isLast: false)
            case .end(let isAlone): .end(isAlone: isAlone)
            }
    }
}
