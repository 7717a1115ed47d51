// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Drives an exchange over its carrier as ``ExchangeStateMachine`` decides, and hands over a response whose body is read on
/// demand; used on its event loop.
final class ExchangeDriver: BodyDemand, IdleMonitored {
    private let failure: ChannelFailure
    private let watch: IdleMonitor
    private let eventLoop: any EventLoop
    /// `nil` once it has gone.
    private var carrier: (any ExchangeCarrier)?
    private var machine: ExchangeStateMachine
    private var exchange: HTTPExchange?
    private var exchangeNumber = 0
    /// The head that is held until what arrives together is known, and what is held of the body.
    private var head: HTTPResponse?
    private var held = ByteBuffer()
    /// Where the body goes on arriving.
    ///
    /// Not the response itself: a body that its reader drops could not be told from one that is read later.
    private var body: BodyQueue?
    private var expected: Int?
    private var received = 0
    private var timers: [Scheduled<Void>] = []

    private var peer: ConnectionPeer { failure.peer }
    private var handle: HTTPExchange.Handle { HTTPExchange.Handle(driver: NIOLoopBound(self, eventLoop: eventLoop)) }
    var isClosed: Bool { machine.phase == .closed }
    /// Whether the reader of the body has room.
    var hasRoom: Bool { machine.hasRoom }

    /// - Parameters:
    ///   - medium: What the exchange takes place on.
    ///   - failure: Turns an error of the channel into the session's.
    ///   - watch: Looks how long the peer is silent in an exchange.
    ///   - eventLoop: The carrier's.
    init(_ medium: ExchangeStateMachine.Medium, failure: ChannelFailure, watch: IdleMonitor, eventLoop: any EventLoop) {
        machine = ExchangeStateMachine(medium)
        (self.failure, self.watch, self.eventLoop) = (failure, watch, eventLoop)
    }

    /// Sets what carries the exchanges.
    func attach(_ carrier: any ExchangeCarrier) { self.carrier = carrier }

    /// The carrier has gone; where a body was on its way, it ends.
    func detach() {
        carrier = nil
        guard !isClosed else { return }
        if machine.abandon() { body?.finish() } else { _ = machine.fail() }
        endWatching()
        release()
    }

    // MARK: The request

    /// Starts an exchange, whose request the carrier then writes.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - departure: Fails if the exchange cannot start.
    /// - Returns: Whether the exchange has started. Otherwise it has failed.
    func start(_ exchange: HTTPExchange, departure: EventLoopPromise<Void>?) -> Bool {
        guard let carrier, carrier.isActive, machine.phase == .idle else {
            let error = RequestNotProcessed(reason: failure.classify(ChannelError.eof, .request))
            exchange.fail(error)
            departure?.fail(error)
            return false
        }
        guard exchange.attach(handle) else {
            departure?.fail(CancellationError())
            exchange.fail(CancellationError())
            carrier.hangUp()
            return false
        }
        _ = machine.start(hasBodyToFollow: exchange.hasBodyToFollow, now: .now())
        self.exchange = exchange
        exchangeNumber += 1
        watch.begin(self)
        if let deadline = exchange.limits.deadline { schedule(at: deadline, .total) }
        return true
    }

    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        guard let carrier else { return departure.fail(ChannelError.ioOnClosedChannel) }
        guard machine.sendPart(now: .now()) else { return departure.fail(BodyUpload.RespondedEarly()) }
        carrier.send(parts, departure: departure)
    }

    func sendEnd(departure: EventLoopPromise<Void>) {
        guard let carrier else { return departure.fail(ChannelError.ioOnClosedChannel) }
        guard machine.sendEnd() else { return departure.fail(BodyUpload.RespondedEarly()) }
        carrier.sendEnd(departure: departure)
    }

    func abort(_ error: any Error) { fail(failure.classify(error, .request)) }

    func cancel() { if carrier != nil { fail(CancellationError()) } }

    /// Nothing of the request is held back any more.
    func completeUpload() { machine.completeUpload() }

    /// A part of the request has left.
    func noteDeparture(isLast: Bool) {
        let now = NIODeadline.now()
        guard machine.noteDeparture(isLast: isLast, now: now), let limit = exchange?.limits.response else { return }
        schedule(at: now + limit, .response)
    }

    private func schedule(at deadline: NIODeadline, _ phase: ConnectionPhase) {
        timers.append(
            eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                guard let self, machine.isExpired(phase) else { return }
                fail(TransportError.timedOut(peer, phase))
            })
    }

    // MARK: The response

    /// Takes a part of the response.
    func receive(_ part: ExchangePart) {
        let now = NIODeadline.now()
        switch part {
        case .information(let status): receiveInformation(status, now)
        case .head(let head, let keepsAlive, let isWhole):
            receive(head, keepsAlive: keepsAlive, now)
            if isWhole { receiveEnd(isAlone: true, now) }
        case .body(let buffer, let isLast):
            receive(buffer, now)
            if isLast { receiveEnd(isAlone: true, now) }
        case .end(let isAlone): receiveEnd(isAlone: isAlone, now)
        }
    }

    private func receiveInformation(_ status: HTTPResponse.Status, _ now: NIODeadline) {
        switch machine.receiveInformation(status, now: now) {
        case .ignore: break
        case .refuse: refuse()
        case .permitUpload: exchange?.permitUpload(by: handle)
        }
    }

    private func receive(_ head: HTTPResponse, keepsAlive: Bool, _ now: NIODeadline) {
        guard case .hold(let refusesUpload) = machine.receiveHead(head.status, keepsAlive: keepsAlive, now: now) else {
            return refuse()
        }
        if refusesUpload { exchange?.refuseUpload() }
        failure.record.note { $0.hasServed = true }
        self.head = head
        received = 0
    }

    private func receive(_ buffer: ByteBuffer, _ now: NIODeadline) {
        let action = machine.receiveBody(buffer.readableBytes, now: now)
        received += buffer.readableBytes
        switch action {
        case .ignore: break
        case .refuse: refuse()
        case .hold, .holdAndDeliver:
            // Not in the buffer that it arrived in, which would be held whole, and which TLS would have to replace.
            held.writeImmutableBuffer(buffer)
            if case .holdAndDeliver = action { deliver() }
        case .append:
            if body?.append(buffer) == false { machine.noteRoom(false) }
        }
    }

    /// Hands over what arrived together.
    func readComplete() {
        switch machine.phase {
        case .arriving: deliver()
        case .receiving: body?.deliver()
        case .idle, .awaitingHead, .closed: break
        }
    }

    /// Delivers a response whose body goes on arriving.
    private func deliver() {
        guard let exchange, let head else { return }
        let body = BodyQueue(
            demand: BodyQueue.Demand(
                target: NIOLoopBound(self, eventLoop: eventLoop), exchangeNumber: exchangeNumber))
        if machine.deliver() { exchange.permitUpload(by: handle) }
        expected = head.headerFields.combinedValue(of: .contentLength).flatMap { Int($0) }
        if held.readableBytes > 0, !body.append(held) { machine.noteRoom(false) }
        (self.body, self.head, held) = (body, nil, ByteBuffer())
        exchange.succeed(with: .init(head: head, body: .arriving(body)))
    }

    private func receiveEnd(isAlone: Bool, _ now: NIODeadline) {
        guard !isClosed else { return }
        guard case .finish(let isDelivered, let next) = machine.receiveEnd(isAlone: isAlone, now: now), let exchange
        else { return refuse() }
        let (head, held, body) = (head, held, body)
        endWatching(next)
        release()
        // In this order: the reader of the body's end finds the connection back in the pool.
        exchange.end(isReusable: next == .reuse)
        switch next {
        case .reuse: carrier?.resumeReading()
        case .leave, .close: carrier?.close()
        }
        if isDelivered {
            body?.finish()
        } else if let head {
            exchange.succeed(with: .init(head: head, body: .whole(held)))
        }
    }

    /// No request asked for what arrived.
    private func refuse() { fail(TransportError.malformedResponse(peer, .framing)) }

    private func endWatching(_ next: ExchangeStateMachine.EndAction.Next = .close) {
        // Between two exchanges of a connection the watch finds it idle.
        if next != .reuse { watch.end(self) }
        guard !timers.isEmpty else { return }
        for timer in timers { timer.cancel() }
        timers.removeAll()
    }

    private func release() {
        (exchange, head, body, held) = (nil, nil, nil, ByteBuffer())
    }

    // MARK: The reader

    func produceMore(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, let carrier else { return }
        machine.produceMore(now: .now())
        carrier.resumeReading()
    }

    func didTerminate(exchangeNumber: Int) {
        guard exchangeNumber == self.exchangeNumber, machine.abandon() else { return }
        let ended = exchange
        endWatching()
        release()
        ended?.end(isReusable: false)
        carrier?.hangUp()
    }

    // MARK: Failures

    func checkIdleTimeout() -> NIODeadline? {
        switch machine.silence(limit: watch.limit, now: .now()) {
        case .none: return nil
        case .lookAgain(let time): return time
        case .expired(let phase):
            fail(TransportError.timedOut(peer, phase))
            return nil
        }
    }

    /// Ends the exchange, and what carries it.
    func fail(_ error: any Error) {
        // The reader of the head learns of the failure from the body.
        if case .arriving = machine.phase { deliver() }
        let (exchange, body) = (exchange, body)
        let action = machine.fail()
        endWatching()
        switch action {
        case .ignore: break
        case .remember: failure.record.note { $0.lateFailure = $0.lateFailure ?? error }
        case .failHead:
            exchange?.fail(failure.classify(error, .response))
            exchange?.end(isReusable: false)
        case .failBody:
            let reason = classifyBody(error)
            // In this order: the reader who learns that the body failed finds its exchange reported.
            exchange?.end(isReusable: false)
            body?.finish(.failure(reason))
        }
        release()
        carrier?.hangUp()
    }

    /// Ends an exchange that waits for its response and does no harm if it is repeated.
    func failUnanswered(_ error: any Error) {
        if machine.phase == .awaitingHead, exchange?.mayBeRepeated == true { fail(error) }
    }

    /// A body that ends before its framing says so is named by what is missing, whichever layer noticed.
    private func classifyBody(_ error: any Error) -> any Error {
        let cause: any Error =
            switch failure.classify(error, .body) {
            // Once a part of the response is there, nothing is sent again.
            case let error as RequestNotProcessed: error.reason
            case let error as HTTP1Required: error.reason ?? error
            case let error: error
            }
        guard case TransportError.connectionLost = cause else { return cause }
        return TransportError.truncatedBody(peer, received: received, expected: expected)
    }
}

/// Carries one exchange at a time: a connection of HTTP/1, or a stream of HTTP/2; used on its event loop.
protocol ExchangeCarrier: AnyObject {
    var isActive: Bool { get }

    /// Writes parts of a body; the promise is completed when they have left.
    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>)

    /// Writes the end of a body.
    func sendEnd(departure: EventLoopPromise<Void>)

    /// The reader of the body has room again.
    func resumeReading()

    /// The exchange is over, and the connection or the stream with it.
    func close()

    /// The exchange has failed or was cancelled; nothing that the peer says is awaited.
    ///
    /// HTTP/1 closes the connection at once. HTTP/2 resets the stream (RST_STREAM, CANCEL), and the connection stays.
    func hangUp()
}

/// A part of a response.
enum ExchangePart {
    case information(HTTPResponse.Status)
    case head(HTTPResponse, keepsAlive: Bool, isWhole: Bool)
    case body(ByteBuffer, isLast: Bool)
    /// Where something follows that no request asked for, the connection cannot be used any more.
    case end(isAlone: Bool)
}
