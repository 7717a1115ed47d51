// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Sends one request at a time and turns what comes back into a response whose body is read on demand.
final class ExchangeHandler<Wire: ExchangeWire>: ChannelDuplexHandler, RemovableChannelHandler, BodyDemand,
    SilenceWatched
{
    typealias InboundIn = Wire.Inbound
    typealias OutboundIn = HTTPExchange.Outbound
    typealias OutboundOut = Wire.Outbound

    private let failure: ChannelFailure
    private let watch: SilenceWatch
    private var lastActivity = NIODeadline.distantPast
    private var wire: Wire
    private var state = ExchangeState.idle
    private var context: ChannelHandlerContext?
    private var consumerWantsMore = true
    private var readIsHeldBack = false
    private var exchangeNumber = 0
    private var upload = ExchangeState.Upload.complete
    private var interimCount = 0
    private var timers: [Scheduled<Void>] = []

    /// How many interim responses may come before the one that counts; each keeps the connection from being called silent.
    private static var interimLimit: Int { 64 }

    /// How much of a body is waited for until what has arrived together is known, in bytes.
    private static var arrivalLimit: Int { 64 * 1024 }

    private var peer: ConnectionPeer { failure.peer }
    private var isClosed: Bool { if case .closed = state { true } else { false } }

    /// - Parameters:
    ///   - wire: Writes and reads.
    ///   - failure: Turns an error of the channel into the session's.
    ///   - watch: Looks how long the peer is silent in an exchange.
    init(wire: Wire, failure: ChannelFailure, watch: SilenceWatch) {
        self.wire = wire
        self.failure = failure
        self.watch = watch
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Taken off for a tunnel: the answer to CONNECT has no body, and what follows is the origin's.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        let last = state
        state = .closed
        cancelTimers()
        if case .receiving(let incoming) = last { incoming.body.finish() }
        if context.channel.isActive, let rest = wire.takeRest() { context.fireChannelRead(NIOAny(rest)) }
    }

    // MARK: The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .start(let exchange):
            start(exchange, context: context, promise: promise)
        case .abort(let error):
            fail(failure.classify(error, .request), context: context)
            promise?.succeed()
        case .part where upload != .waiting, .end where upload != .waiting:
            promise?.fail(BodyUpload.AnsweredEarly())
        case .part(let buffer):
            lastActivity = .now()
            noteDeparture(promise)
            context.write(wrapOutboundOut(wire.part(buffer)), promise: promise)
        case .end:
            context.write(wrapOutboundOut(wire.end()), promise: promise)
            awaitDeparture(promise, context: context)
        }
    }

    private func start(_ exchange: HTTPExchange, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        guard case .idle = state, context.channel.isActive else {
            let error = RequestNotProcessed(reason: failure.classify(ChannelError.eof, .request))
            exchange.fail(error)
            promise?.fail(error)
            return
        }
        state = .awaitingHead(exchange)
        lastActivity = .now()
        watch.begin(self)
        exchangeNumber += 1
        interimCount = 0
        if let deadline = exchange.limits.deadline {
            schedule(at: deadline, .total, context: context)
        }
        do {
            try send(exchange, context: context, promise: promise)
        } catch {
            promise?.fail(error)
            fail(error, context: context)
        }
    }

    private func send(
        _ exchange: HTTPExchange, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) throws {
        switch exchange.body {
        case .whole(let body):
            try wire.write(exchange, whole: body) { part, isLast in
                if isLast { return context.write(wrapOutboundOut(part), promise: promise) }
                let promise = context.eventLoop.makePromise(of: Void.self)
                noteDeparture(promise)
                context.write(wrapOutboundOut(part), promise: promise)
            }
            awaitDeparture(promise, context: context)
        case .following(let permission, let continueTimeout):
            upload = .waiting
            context.write(wrapOutboundOut(try wire.head(exchange)), promise: promise)
            guard let continueTimeout else { return permission.succeed(context.channel) }
            // A server need not know of the expectation (RFC 9110 section 10.1.1).
            context.eventLoop.scheduleTask(in: continueTimeout) { [channel = context.channel] in
                permission.succeed(channel)
            }
        }
    }

    /// A peer that takes what is sent is not silent.
    private func noteDeparture(_ promise: EventLoopPromise<Void>?) {
        promise?.futureResult.assumeIsolated().whenSuccess { [self] in
            lastActivity = .now()
            wire.noteDeparture()
        }
    }

    /// The last of a request was written, and leaves when the promise succeeds.
    private func awaitDeparture(_ promise: EventLoopPromise<Void>?, context: ChannelHandlerContext) {
        upload = .leaving
        promise?.futureResult.assumeIsolated().whenSuccess { [self] in
            upload = .complete
            lastActivity = .now()
            guard case .awaitingHead(let exchange) = state, let limit = exchange.limits.response else { return }
            schedule(at: lastActivity + limit, .response, context: context)
        }
    }

    private func schedule(at deadline: NIODeadline, _ phase: ConnectionPhase, context: ChannelHandlerContext) {
        timers.append(
            context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                self?.expire(phase)
            })
    }

    private func expire(_ phase: ConnectionPhase) {
        guard let context else { return }
        switch (phase, state) {
        case (.total, .awaitingHead), (.total, .arriving), (.total, .receiving), (.response, .awaitingHead):
            fail(TransportError.timedOut(peer, phase), context: context)
        default: break
        }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastActivity = .now()
        do {
            wire.append(unwrapInboundIn(data))
            while !isClosed, let part = try wire.next() { try receive(part, context: context) }
        } catch ResponseFault.headerField {
            fail(TransportError.malformedResponse(peer, .headerField), context: context)
        } catch ResponseFault.statusLine {
            fail(TransportError.malformedResponse(peer, .statusLine), context: context)
        } catch {
            fail(error, context: context)
        }
    }

    private func receive(_ part: ExchangePart, context: ChannelHandlerContext) throws {
        switch (part, state) {
        case (.other, _): break
        case (.information(let status), .awaitingHead(let exchange)):
            try receiveInformation(status, for: exchange, context: context)
        case (.head(let head, let keepsAlive, let isWhole), .awaitingHead(let exchange)):
            receive(head, keepsAlive: keepsAlive, for: exchange)
            if isWhole { end(context: context) }
        case (.body(let buffer, let isLast), .arriving(let arriving)):
            receive(buffer, after: arriving, context: context)
            if isLast { end(context: context) }
        case (.body(let buffer, let isLast), .receiving(var incoming)):
            incoming.received += buffer.readableBytes
            state = .receiving(incoming)
            if buffer.readableBytes > 0, !incoming.body.append(buffer) { consumerWantsMore = false }
            if isLast { end(context: context) }
        case (.end(let isAlone), .arriving), (.end(let isAlone), .receiving):
            end(isAlone: isAlone, context: context)
        default:
            // No request asked for it.
            throw TransportError.malformedResponse(peer, .framing)
        }
    }

    private func receive(_ head: HTTPResponse, keepsAlive: Bool, for exchange: HTTPExchange) {
        settleUpload(of: exchange, by: head.status)
        failure.record.note { $0.hasServed = true }
        consumerWantsMore = true
        state = .arriving(.init(exchange: exchange, head: head, keepsAlive: keepsAlive))
    }

    private func receive(_ buffer: ByteBuffer, after arriving: ExchangeState.Arriving, context: ChannelHandlerContext) {
        guard buffer.readableBytes > 0 else { return }
        arriving.parts.append(buffer)
        arriving.size += buffer.readableBytes
        if arriving.size > Self.arrivalLimit { deliver(arriving, context: context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch state {
        case .arriving(let arriving): deliver(arriving, context: context)
        case .receiving(let incoming): incoming.body.deliver()
        default: break
        }
        context.fireChannelReadComplete()
    }

    /// Delivers a response whose body goes on arriving.
    private func deliver(_ arriving: ExchangeState.Arriving, context: ChannelHandlerContext) {
        let body = BodyQueue(
            demand: BodyQueue.Demand(
                target: NIOLoopBound(self, eventLoop: context.eventLoop), exchangeNumber: exchangeNumber))
        state = .receiving(
            .init(
                exchange: arriving.exchange, body: body, keepsAlive: arriving.keepsAlive,
                expected: arriving.head.headerFields[.contentLength].flatMap { Int($0) }, received: arriving.size))
        for part in arriving.parts where !body.append(part) { consumerWantsMore = false }
        arriving.exchange.answer(with: .init(head: arriving.head, body: .arriving(body)))
    }

    private func end(isAlone: Bool = true, context: ChannelHandlerContext) {
        switch state {
        case .arriving(let arriving):
            // Not in the buffer that it arrived in, which would be held whole, and which TLS would have to replace.
            var whole = ByteBuffer()
            whole.reserveCapacity(arriving.size)
            for part in arriving.parts { whole.writeImmutableBuffer(part) }
            finish(keepsAlive: isAlone && arriving.keepsAlive, arriving.exchange, context: context)
            arriving.exchange.answer(with: .init(head: arriving.head, body: .whole(whole)))
        case .receiving(let incoming):
            // In this order: the reader of the body's end finds the connection back in the pool.
            finish(keepsAlive: isAlone && incoming.keepsAlive, incoming.exchange, context: context)
            incoming.body.finish()
        default: break
        }
    }

    /// Of the interim responses (RFC 9110 section 15.2) only 100 has a meaning here; the session never asks for 101.
    private func receiveInformation(
        _ status: HTTPResponse.Status, for exchange: HTTPExchange, context: ChannelHandlerContext
    ) throws {
        interimCount += 1
        guard interimCount <= Self.interimLimit, status != .switchingProtocols else {
            throw TransportError.malformedResponse(peer, .framing)
        }
        if status == .continue, case .following(let permission, _) = exchange.body {
            permission.succeed(context.channel)
        }
    }

    /// A server that has answered, and not with success, or not waited for the body, does not want the rest of it.
    private func settleUpload(of exchange: HTTPExchange, by status: HTTPResponse.Status) {
        guard upload == .waiting, case .following(let permission, _) = exchange.body else { return }
        if status.code >= 300 { upload = .unwanted }
        permission.fail(BodyUpload.AnsweredEarly())
    }

    private func finish(keepsAlive: Bool, _ exchange: HTTPExchange, context: ChannelHandlerContext) {
        cancelTimers()
        consumerWantsMore = true
        // What is left of a request that was not sent whole would be taken for the next one.
        guard Wire.servesSeveral, keepsAlive, upload == .complete else {
            state = .closed
            watch.end(self)
            exchange.end(isReusable: false)
            if Wire.servesSeveral || upload != .complete { context.close(promise: nil) }
            return
        }
        state = .idle
        exchange.end(isReusable: true)
        if readIsHeldBack { resumeReading(context) }
    }

    private func cancelTimers() {
        if isClosed { watch.end(self) }
        guard !timers.isEmpty else { return }
        for timer in timers { timer.cancel() }
        timers.removeAll()
    }

    // MARK: Back-pressure

    func read(context: ChannelHandlerContext) {
        guard consumerWantsMore else {
            readIsHeldBack = true
            return
        }
        context.read()
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        readIsHeldBack = false
        context.read()
    }

    func produceMore(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, let context else { return }
        if !consumerWantsMore { lastActivity = .now() }
        consumerWantsMore = true
        if readIsHeldBack { resumeReading(context) }
    }

    /// What a reader left unread makes the connection useless.
    func didTerminate(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, case .receiving(let incoming) = state, let context else { return }
        state = .closed
        cancelTimers()
        incoming.exchange.end(isReusable: false)
        context.channel.hangUp()
    }

    // MARK: Failures

    /// Nothing arrived for as long as the session allows; a connection between two requests may be as silent as it likes.
    func checkForSilence() -> NIODeadline? {
        guard let context else { return nil }
        let due = lastActivity + watch.limit
        switch state {
        case .idle, .closed: break
        case .awaitingHead where due <= .now():
            fail(TransportError.timedOut(peer, upload == .complete ? .response : .request), context: context)
        case .receiving where due <= .now() && consumerWantsMore:
            fail(TransportError.timedOut(peer, .body), context: context)
        case .receiving where !consumerWantsMore:
            // A reader that takes its time is no silence of the peer's.
            return .now() + watch.limit
        default:
            return due
        }
        return nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let end = wire.close() { try? receive(end, context: context) }
        if !isClosed { fail(ChannelError.eof, context: context) }
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error, context: ChannelHandlerContext) {
        // The reader of the head learns of the failure from the body.
        if case .arriving(let arriving) = state { deliver(arriving, context: context) }
        let failed = state
        state = .closed
        cancelTimers()
        switch failed {
        case .idle where !Wire.servesSeveral:
            // The end of a stream says nothing of its connection.
            break
        case .idle:
            failure.record.note { $0.lateFailure = $0.lateFailure ?? error }
        case .closed, .arriving:
            break
        case .awaitingHead(let exchange):
            exchange.fail(failure.classify(error, .response))
            exchange.end(isReusable: false)
        case .receiving(let incoming):
            // In this order: the reader who learns that the body failed finds its exchange reported.
            incoming.exchange.end(isReusable: false)
            incoming.body.finish(.failure(classifyBody(error, incoming)))
        }
        context.channel.hangUp()
    }

    /// A body that ends before its framing says so is named by what is missing, whichever layer noticed.
    private func classifyBody(_ error: any Error, _ incoming: ExchangeState.Incoming) -> any Error {
        let cause: any Error =
            switch failure.classify(error, .body) {
            // Once a part of the response is there, nothing is sent again.
            case let error as RequestNotProcessed: error.reason
            case is HTTP1Required: TransportError.streamReset(peer.endpoint, .http1Required)
            case let error: error
            }
        guard case TransportError.connectionLost = cause else { return cause }
        return TransportError.truncatedBody(peer, received: incoming.received, expected: incoming.expected)
    }
}
