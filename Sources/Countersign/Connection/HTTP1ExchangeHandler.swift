// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Sends one request at a time and turns what comes back into a response whose body is read on demand.
final class HTTP1ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPExchange.Outbound
    typealias OutboundOut = HTTPClientRequestPart

    /// Holds nothing of the response itself: a body that its reader drops could not be told from one that is read later.
    private struct Incoming {
        let completion: @Sendable (Bool) -> Void
        let source: ResponseBody.Stream.Source
        let keepsAlive: Bool
        let expected: Int?
        var received = 0
    }

    private enum State {
        case idle
        case awaitingHead(HTTPExchange)
        case receiving(Incoming)
        case closed
    }

    private let failure: ChannelFailure
    private var state = State.idle
    private var context: ChannelHandlerContext?
    private var consumerWantsMore = true
    private var readIsHeldBack = false
    private var exchangeNumber = 0
    private var upload = Upload.complete
    private var interimCount = 0

    /// How many interim responses may come before the one that counts; each keeps the connection from being called silent.
    private static let interimLimit = 64

    /// How far the request's body has come.
    private enum Upload {
        case complete
        case waiting
        case unwanted
    }

    private var endpoint: Endpoint { failure.endpoint }

    /// - Parameter failure: Turns an error of the channel into the session's.
    init(failure: ChannelFailure) {
        self.failure = failure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Taken off for a tunnel: the answer to CONNECT has no body, and what follows is the origin's.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if case .receiving(let incoming) = state { incoming.source.finish() }
        state = .closed
    }

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
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: promise)
        case .end:
            upload = .complete
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
        }
    }

    private func start(_ exchange: HTTPExchange, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        guard case .idle = state else {
            let error = failure.classify(ChannelError.eof, .request)
            exchange.response.fail(error)
            promise?.fail(error)
            return
        }
        state = .awaitingHead(exchange)
        exchangeNumber += 1
        interimCount = 0
        context.write(wrapOutboundOut(.head(exchange.request)), promise: nil)
        switch exchange.body {
        case .whole(let body):
            if let body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
        case .following(let permission, let continueTimeout):
            upload = .waiting
            promise?.succeed()
            guard let continueTimeout else { return permission.succeed() }
            // A server need not know of the expectation (RFC 9110 section 10.1.1).
            context.eventLoop.scheduleTask(in: continueTimeout) { permission.succeed() }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .awaitingHead(let exchange)):
            receive(head, for: exchange, context: context)
        case (.body(let buffer), .receiving(var incoming)):
            incoming.received += buffer.readableBytes
            state = .receiving(incoming)
            if incoming.source.yield(buffer) == .stopProducing { consumerWantsMore = false }
        case (.end, .receiving(let incoming)):
            // In this order: whoever reads the end of the body finds the connection back in the pool.
            becomeIdle(after: incoming, context: context)
            incoming.source.finish()
        default:
            fail(SessionError.malformedResponse(endpoint, .framing), context: context)
        }
    }

    private func receive(_ head: HTTPResponseHead, for exchange: HTTPExchange, context: ChannelHandlerContext) {
        guard head.status.code >= 200 else { return receiveInformation(head, for: exchange, context: context) }
        let response: HTTPResponse
        do {
            response = try HTTPResponse(head)
        } catch {
            return fail(SessionError.malformedResponse(endpoint, .statusLine), context: context)
        }
        let body = ResponseBody.Stream.makeSequence(
            elementType: ByteBuffer.self, failureType: (any Error).self,
            backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16), finishOnDeinit: false,
            delegate: ResponseBody.Demand(
                handler: NIOLoopBound(self, eventLoop: context.eventLoop), exchangeNumber: exchangeNumber)
        )
        settleUpload(of: exchange, by: head)
        failure.record.note { $0.hasServed = true }
        consumerWantsMore = true
        state = .receiving(
            Incoming(
                completion: exchange.completion, source: body.source, keepsAlive: head.isKeepAlive,
                expected: head.headers.first(name: "content-length").flatMap { Int($0) }))
        exchange.response.succeed(.init(head: response, body: body.sequence))
    }

    /// Of the interim responses (RFC 9110 section 15.2) only 100 means anything to us, and nobody asked for 101.
    private func receiveInformation(
        _ head: HTTPResponseHead, for exchange: HTTPExchange, context: ChannelHandlerContext
    ) {
        interimCount += 1
        guard interimCount <= Self.interimLimit else {
            return fail(SessionError.malformedResponse(endpoint, .framing), context: context)
        }
        switch head.status {
        case .continue:
            if case .following(let permission, _) = exchange.body { permission.succeed() }
        case .switchingProtocols:
            fail(SessionError.malformedResponse(endpoint, .framing), context: context)
        default:
            break
        }
    }

    /// A server that has answered, and not with success, or not waited for the body, does not want the rest of it.
    private func settleUpload(of exchange: HTTPExchange, by head: HTTPResponseHead) {
        guard upload == .waiting, case .following(let permission, _) = exchange.body else { return }
        if head.status.code >= 300 { upload = .unwanted }
        permission.fail(BodyUpload.AnsweredEarly())
    }

    private func becomeIdle(after incoming: Incoming, context: ChannelHandlerContext) {
        consumerWantsMore = true
        // What is left of a request that was not sent whole would be taken for the next one.
        guard incoming.keepsAlive, upload == .complete else {
            state = .closed
            incoming.completion(false)
            return context.close(promise: nil)
        }
        state = .idle
        incoming.completion(true)
        if readIsHeldBack { resumeReading(context) }
    }

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

    /// The reader of a body has room for more.
    func produceMore(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, let context else { return }
        consumerWantsMore = true
        if readIsHeldBack { resumeReading(context) }
    }

    /// The reader of a body has gone; what it left unread makes the connection useless.
    func didTerminate(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, case .receiving(let incoming) = state, let context else { return }
        state = .closed
        incoming.completion(false)
        context.close(promise: nil)
    }

    /// Nothing arrived for as long as the session allows; a connection between two requests may be as silent as it likes.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (event, state) {
        case (IdleStateHandler.IdleStateEvent.all, .awaitingHead):
            fail(SessionError.timedOut(endpoint, upload == .complete ? .response : .request), context: context)
        case (IdleStateHandler.IdleStateEvent.all, .receiving) where consumerWantsMore:
            fail(SessionError.timedOut(endpoint, .body), context: context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof, context: context)
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error, context: ChannelHandlerContext) {
        let failed = state
        state = .closed
        switch failed {
        case .idle:
            failure.record.note { $0.lateFailure = $0.lateFailure ?? error }
        case .closed:
            break
        case .awaitingHead(let exchange):
            exchange.response.fail(failure.classify(error, .response))
            exchange.completion(false)
        case .receiving(let incoming):
            // In this order: whoever hears that the body fails finds its exchange reported.
            incoming.completion(false)
            incoming.source.finish(classifyBody(error, incoming))
        }
        context.close(promise: nil)
    }

    /// A body that ends before its framing says so is named by what is missing, whichever layer noticed.
    private func classifyBody(_ error: any Error, _ incoming: Incoming) -> any Error {
        let cause = failure.classify(error, .body)
        guard case SessionError.connectionLost = cause else { return cause }
        return SessionError.truncatedBody(endpoint, received: incoming.received, expected: incoming.expected)
    }
}
