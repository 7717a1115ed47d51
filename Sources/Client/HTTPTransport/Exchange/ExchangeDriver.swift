// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import TLSTransport

/// The driver of an exchange, which applies the decisions of ``ExchangeStateMachine`` to a carrier and delivers a
/// response whose body is read on demand; used on its event loop.
final class ExchangeDriver: BodyDemand, IdleMonitored {
    private let failure: ChannelFailure
    private let watch: IdleMonitor
    private let eventLoop: any EventLoop
    /// The carrier; `nil` after it is detached.
    private var carrier: (any ExchangeCarrier)?
    private var machine: ExchangeStateMachine
    private var exchange: HTTPExchange?
    private var exchangeNumber = 0
    /// The head and the body bytes that are held until the current read is complete.
    private var head: HTTPResponse?
    private var held = ByteBuffer()
    /// The queue of a body that is still arriving.
    ///
    /// It is not the response itself: otherwise a body that its reader has dropped would look like one that
    /// is read later.
    private var body: BodyQueue?
    private var expected: Int?
    private var received = 0
    private var timers: [Scheduled<Void>] = []
    /// The selection of an identity for the server, during which the server is not silent.
    private var selection: Task<Void, Never>?
    private var lastSelection = NIODeadline.distantPast

    private var peer: ConnectionPeer { failure.peer }
    private var handle: HTTPExchange.Handle { HTTPExchange.Handle(driver: NIOLoopBound(self, eventLoop: eventLoop)) }
    var isClosed: Bool { machine.phase == .closed }
    /// Whether the body's reader accepts more bytes.
    var hasCapacity: Bool { machine.hasCapacity }

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - medium: The medium of the exchange.
    ///   - failure: The conversion of channel errors into transport errors.
    ///   - watch: The monitor of the peer's idle time.
    ///   - eventLoop: The event loop of the carrier.
    init(_ medium: ExchangeStateMachine.Medium, failure: ChannelFailure, watch: IdleMonitor, eventLoop: any EventLoop) {
        machine = ExchangeStateMachine(medium)
        (self.failure, self.watch, self.eventLoop) = (failure, watch, eventLoop)
    }

    /// Sets the carrier of the exchanges.
    func attach(_ carrier: any ExchangeCarrier) { self.carrier = carrier }

    /// Detaches the carrier, and ends a body that is still arriving.
    func detach() {
        carrier = nil
        guard !isClosed else { return }
        if machine.abandon() { body?.finish() } else { _ = machine.fail() }
        endWatching()
        release()
    }

    // MARK: The request

    /// Starts an exchange; afterwards the carrier writes its request.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - writePromise: The promise of the write, which fails if the exchange cannot start.
    /// - Returns: Whether the exchange has started. Otherwise it has failed.
    func start(_ exchange: HTTPExchange, writePromise: EventLoopPromise<Void>?) -> Bool {
        guard let carrier, carrier.isActive, machine.phase == .idle else {
            let error = RequestNotProcessed(reason: failure.classify(ChannelError.eof, .request))
            exchange.fail(error)
            writePromise?.fail(error)
            return false
        }
        guard exchange.attach(handle) else {
            writePromise?.fail(CancellationError())
            exchange.fail(CancellationError())
            carrier.close()
            return false
        }
        _ = machine.start(hasBodyToFollow: exchange.hasBodyToFollow, now: .now())
        self.exchange = exchange
        exchangeNumber += 1
        watch.begin(self, limit: exchange.limits.idle)
        if let deadline = exchange.limits.deadline { schedule(at: deadline.time, deadline.phase, deadline.timeout) }
        return true
    }

    func send(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>) {
        guard let carrier else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        guard machine.sendPart(now: .now()) else { return writePromise.fail(BodyUpload.RespondedEarly()) }
        carrier.send(parts, writePromise: writePromise)
    }

    func sendEnd(writePromise: EventLoopPromise<Void>) {
        guard let carrier else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        guard machine.sendEnd() else { return writePromise.fail(BodyUpload.RespondedEarly()) }
        carrier.sendEnd(writePromise: writePromise)
    }

    func abort(_ error: any Error) { fail(failure.classify(error, .request)) }

    func cancel() { if carrier != nil { fail(CancellationError()) } }

    /// Notes that no part of the request is held back any longer.
    func completeUpload() { machine.completeUpload() }

    /// Notes that a part of the request was written to the socket.
    func noteWritten(isLast: Bool) {
        let now = NIODeadline.now()
        guard machine.noteWritten(isLast: isLast, now: now), let limit = exchange?.limits.response else { return }
        schedule(at: now + TimeAmount(limit.duration), .response, limit)
    }

    private func schedule(at deadline: NIODeadline, _ phase: ConnectionPhase, _ timeout: Timeout) {
        timers.append(
            eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                guard let self, machine.isExpired(phase) else { return }
                let due = lastSelection + TimeAmount(timeout.duration)
                if phase == .response, selection != nil || due > .now() {
                    return schedule(at: selection == nil ? due : .now() + TimeAmount(timeout.duration), phase, timeout)
                }
                fail(TransportError.timedOut(peer, phase, timeout))
            })
    }

    /// Selects an identity for the server as the exchange specifies.
    ///
    /// - Returns: Whether there is an exchange; otherwise the promise has no answer.
    func selectIdentity(for request: TLSIdentityRequest, _ promise: EventLoopPromise<TLSIdentity?>) -> Bool {
        guard let exchange else { return false }
        guard let select = exchange.selectIdentity else {
            promise.succeed(nil)
            return true
        }
        selection = promise.completeWithTask { try await select(request) }
        promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in
            guard let self else { return }
            (selection, lastSelection) = (nil, .now())
            machine.noteSelection(now: lastSelection)
        }
        return true
    }

    // MARK: The response

    /// Processes a part of the response.
    func receive(_ part: ExchangePart) {
        let now = NIODeadline.now()
        switch part {
        case .information(let status): receiveInformation(status, now)
        case .head(let head, let keepsAlive, let isComplete):
            receive(head, keepsAlive: keepsAlive, now)
            if isComplete { receiveEnd(isAlone: true, now) }
        case .body(let buffer, let isLast):
            receive(buffer, now)
            if isLast { receiveEnd(isAlone: true, now) }
        case .end(let isAlone): receiveEnd(isAlone: isAlone, now)
        }
    }

    private func receiveInformation(_ status: HTTPResponse.Status, _ now: NIODeadline) {
        switch machine.receiveInformation(status, now: now) {
        case .ignore: break
        case .refuse: fail(TransportError.malformedResponse(peer, .framing))
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
            // Copied, because the original buffer would stay allocated in full, and TLS would have to replace it.
            held.writeImmutableBuffer(buffer)
            if case .holdAndDeliver = action { deliver() }
        case .append:
            if body?.append(buffer) == false { machine.noteCapacity(false) }
        }
    }

    /// Delivers the parts that arrived in the same read.
    func readComplete() {
        switch machine.phase {
        case .arriving: deliver()
        case .receiving: body?.deliver()
        case .idle, .awaitingHead, .closed: break
        }
    }

    /// Delivers a response whose body is still arriving.
    private func deliver() {
        guard let exchange, let head else { return }
        let body = BodyQueue(
            demand: BodyQueue.Demand(
                target: NIOLoopBound(self, eventLoop: eventLoop), exchangeNumber: exchangeNumber))
        if machine.deliver() { exchange.permitUpload(by: handle) }
        expected = head.headerFields.combinedValue(of: .contentLength).flatMap { Int($0) }
        if held.readableBytes > 0, !body.append(held) { machine.noteCapacity(false) }
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
        // The order matters: when the reader sees the end of the body, the connection must be back in the pool.
        exchange.end(isReusable: next == .reuse)
        switch next {
        case .reuse: carrier?.resumeReading()
        case .leave, .close: carrier?.close()
        }
        if isDelivered {
            body?.finish()
        } else if let head {
            exchange.succeed(with: .init(head: head, body: .complete(held)))
        }
    }

    /// Fails because bytes arrived without a pending request.
    private func refuse() { fail(TransportError.malformedResponse(peer, .unrequested)) }

    private func endWatching(_ next: ExchangeStateMachine.EndAction.Next = .close) {
        // Between two exchanges of a connection, the monitor stays attached and finds the driver idle.
        if next != .reuse { watch.end(self) }
        selection?.cancel()
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
        carrier?.close()
    }

    // MARK: Failures

    func checkIdleTimeout() -> NIODeadline? {
        let limit = exchange?.limits.idle ?? watch.limit
        guard selection == nil else { return .now() + limit }
        switch machine.silence(limit: limit, now: .now()) {
        case .none: return nil
        case .checkAgain(let time): return time
        case .expired(let phase):
            fail(TransportError.timedOut(peer, phase, Timeout(Duration(limit), .idle)))
            return nil
        }
    }

    /// Fails the exchange, and closes its carrier.
    func fail(_ error: any Error) {
        // The reader of the head receives the error from the body.
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
            // The order matters: when the reader sees the body's error, the end of the exchange must be reported.
            exchange?.end(isReusable: false)
            body?.finish(.failure(reason))
        }
        release()
        carrier?.close()
    }

    /// Fails an exchange that still awaits its response and may be repeated.
    func failUnanswered(_ error: any Error) {
        if machine.phase == .awaitingHead, exchange?.isRetryable == true { fail(error) }
    }

    /// Reports an early end of the body as a truncated body, regardless of the layer that noticed it.
    private func classifyBody(_ error: any Error) -> any Error {
        let cause: any Error =
            switch failure.classify(error, .body) {
            // Once a part of the response has arrived, the request is not retried.
            case let error as RequestNotProcessed: error.reason
            case let error as HTTP1Required: error.reason ?? error
            case let error: error
            }
        guard case TransportError.connectionLost = cause else { return cause }
        return TransportError.truncatedBody(peer, received: received, expected: expected)
    }
}

/// The carrier of one exchange at a time: an HTTP/1 connection or an HTTP/2 stream; used on its event loop.
protocol ExchangeCarrier: AnyObject {
    var isActive: Bool { get }

    /// Writes parts of a body; the promise is completed when they are written to the socket.
    func send(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>)

    /// Writes the end of a body.
    func sendEnd(writePromise: EventLoopPromise<Void>)

    /// Resumes reading when the body's reader accepts more bytes.
    func resumeReading()

    /// Closes the connection or the stream, without waiting for the peer.
    ///
    /// HTTP/2 resets a stream that has not ended (RST_STREAM, CANCEL), and the connection stays open.
    func close()
}

/// A part of a response.
enum ExchangePart {
    case information(HTTPResponse.Status)
    case head(HTTPResponse, keepsAlive: Bool, isComplete: Bool)
    case body(ByteBuffer, isLast: Bool)
    /// The end of the response. If it is not alone, unrequested bytes follow and the connection cannot be reused.
    case end(isAlone: Bool)
}
