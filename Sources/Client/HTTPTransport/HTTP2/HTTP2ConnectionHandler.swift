// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOCore

/// The handler of an HTTP/2 connection, which performs exchanges over its streams with ``HTTP2ConnectionStateMachine``.
///
/// All frames of one turn of the event loop are sent in one buffer, which TLS encrypts as one record.
final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// The maximum number of body bytes that are framed at once.
    private static let chunkSize = ByteBuffer.pieceSize

    /// The maximum number of bytes of one body that are framed before the next stream's turn.
    private static let turnSize = 32 * 1024

    private let summary: HTTP2Streams
    private let probe = HTTP2Probe()
    private let failure: ChannelFailure
    private let watch: IdleMonitor
    private var machine = HTTP2ConnectionStateMachine()
    private var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    /// The exchanges that wait until the server allows another stream.
    private var waiting: Deque<(stream: HTTP2Stream, exchange: HTTPExchange)> = []
    /// The streams with body parts to send, each once.
    private var uploading: Deque<HTTP2Stream> = []
    /// The streams with framed parts that are not written yet.
    private var awaitingWrite: [HTTP2Stream] = []
    /// The streams that received something in this turn of the event loop.
    private var activeStreams: [HTTP2Stream] = []
    private var context: ChannelHandlerContext?
    private var hasFailed = false
    private var isReading = false
    private var flushIsDue = false

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - summary: The state of the connection for the pool.
    ///   - failure: The conversion of channel errors into transport errors.
    ///   - watch: The monitor of the peer's idle time.
    init(_ summary: HTTP2Streams, failure: ChannelFailure, watch: IdleMonitor) {
        (self.summary, self.failure, self.watch) = (summary, failure, watch)
    }

    var isActive: Bool { context?.channel.isActive ?? false }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { flush() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        flush()
        context.fireChannelActive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context)
    }

    /// Stops a connection after an error; its streams fail with that error when the channel is closed.
    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        failure.record.note { $0.lateFailure = $0.lateFailure ?? error }
        hasFailed = true
        summary.drain()
        context.channel.close(promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        machine.close(.noError)
        if let bytes = machine.takeOutbound() { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        machine.close(.noError)
        summary.end()
        probe.end()
        for stream in Array(streams.values) { stream.driver.fail(ChannelError.eof) }
        // Their requests were not sent.
        failWaiting(HTTP2StreamError.notProcessed)
        context.fireChannelInactive()
    }

    // MARK: Streams

    /// Starts an exchange; call it on the connection's event loop.
    ///
    /// On a connection without recent input, a request that must not be sent twice waits for the acknowledgement of a
    /// PING. It is not written if the server has already closed the connection.
    func begin(_ exchange: HTTPExchange) {
        guard let context, !exchange.isRetryable, streams.isEmpty, failure.record.facts.hasServed,
            context.channel.hasUnreadInput
        else { return ask(exchange) }
        context.channel.afterReading { self.ask(exchange) }
    }

    private func ask(_ exchange: HTTPExchange) {
        guard let context, context.channel.isActive, !machine.isDraining, !hasFailed else {
            return exchange.fail(failure.closedBeforeRequest)
        }
        let acknowledgement = probe.ask(over: context.channel, isBusy: !streams.isEmpty) {
            machine.ping()
            scheduleFlush()
        }
        guard let acknowledgement, !exchange.isRetryable else { return start(exchange, context) }
        let timer = exchange.limits.deadline.map { deadline in
            context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline.time) { [failure] in
                exchange.failBeforeStart(TransportError.timedOut(failure.peer, deadline.phase, deadline.timeout))
            }
        }
        acknowledgement.assumeIsolated().whenComplete { _ in
            timer?.cancel()
            self.ask(exchange)
        }
    }

    private func start(_ exchange: HTTPExchange, _ context: ChannelHandlerContext) {
        let driver = ExchangeDriver(.stream, failure: failure, watch: watch, eventLoop: context.eventLoop)
        // The stream and its driver reference each other until the stream ends.
        let stream = HTTP2Stream(self, driver: driver)
        guard driver.start(exchange, writePromise: nil) else { return }
        do {
            try open(stream, for: exchange)
            exchange.headWasWritten(on: context.eventLoop)
        } catch {
            driver.fail(error)
        }
    }

    /// Opens a stream, or queues its exchange until the server allows another stream.
    ///
    /// - Throws: An error if this connection can never open the stream.
    private func open(_ stream: HTTP2Stream, for exchange: HTTPExchange) throws {
        guard !machine.isDraining else { throw HTTP2StreamError.notProcessed }
        guard machine.streamLimit > 0 else { throw HTTP2StreamError.reset(.refused) }
        guard machine.canOpenStream else { return waiting.append((stream, exchange)) }
        var isComplete = false
        if case .complete(let body) = exchange.body { isComplete = (body?.readableBytes ?? 0) == 0 }
        let id = try machine.open(exchange.request, endStream: isComplete)
        streams[id] = stream
        stream.noteOpening(id, exchange)
        if machine.isDraining { summary.drain() }
        scheduleFlush()
    }

    private func openWaiting() {
        while machine.canOpenStream, let (stream, exchange) = waiting.popFirst() {
            guard !stream.hasEnded else { continue }
            do {
                try open(stream, for: exchange)
            } catch {
                stream.driver.fail(error)
            }
        }
        if machine.isDraining { failWaiting(HTTP2StreamError.notProcessed) }
    }

    private func failWaiting(_ error: any Error) {
        while let (stream, _) = waiting.popFirst() { stream.driver.fail(error) }
    }

    /// Removes a stream, and resets it if one side is still open.
    func remove(_ stream: HTTP2Stream) {
        stream.end()
        guard let id = stream.id else { return waiting.removeAll { $0.0 === stream } }
        guard streams.removeValue(forKey: id) != nil else { return }
        machine.reset(id, .cancel)
        if !waiting.isEmpty { openWaiting() }
        scheduleFlush()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        probe.noteInput()
        machine.receive(unwrapInboundIn(data))
        do {
            while let event = try machine.next() { receive(event) }
        } catch {
            fail(error, context)
        }
    }

    private func receive(_ event: HTTP2ConnectionStateMachine.Event) {
        switch event {
        case .information(let id, let status): receive(.information(status), on: id)
        case .head(let id, let head, let endStream):
            receive(.head(head, keepsAlive: false, isComplete: endStream), on: id)
        case .data(let id, let data, let endStream):
            receive(.body(data, isLast: endStream), on: id, size: data.readableBytes)
        case .trailers(let id): receive(.end(isAlone: true), on: id)
        case .streamFailed(let id, let error): streams[id]?.driver.fail(error)
        case .settings:
            summary.setLimit(machine.streamLimit)
            openWaiting()
        // The flush after the read sends the bytes that the window now allows.
        case .windowUpdate: break
        case .goAway(let notProcessed, let reason):
            // A server may send a first GOAWAY without an error, and a second one with its reason.
            failure.record.note { if $0.goAway?.statesReason != true || reason.statesReason { $0.goAway = reason } }
            summary.drain()
            for id in notProcessed { streams[id]?.driver.fail(HTTP2StreamError.notProcessed) }
            failWaiting(HTTP2StreamError.notProcessed)
            guard reason.requiresHTTP1 else { break }
            for stream in Array(streams.values) { stream.driver.failUnanswered(HTTP2StreamError.notProcessed) }
        }
    }

    private func receive(_ part: ExchangePart, on id: HTTP2StreamID, size: Int = 0) {
        guard let stream = streams[id] else { return }
        let consumed = stream.receive(part, size: size)
        guard !stream.hasEnded else { return }
        if consumed > 0 { machine.consume(consumed, on: id) }
        guard !stream.hasUnreportedParts else { return }
        stream.hasUnreportedParts = true
        activeStreams.append(stream)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        for stream in activeStreams {
            stream.hasUnreportedParts = false
            stream.driver.readComplete()
        }
        activeStreams.removeAll(keepingCapacity: true)
        isReading = false
        flush()
        context.fireChannelReadComplete()
    }

    /// Enlarges a stream's window by held-back bytes, once the body's reader accepts more.
    func consume(_ size: Int, on id: HTTP2StreamID) {
        machine.consume(size, on: id)
        scheduleFlush()
    }

    // MARK: Writing

    /// Queues a stream with body parts for sending.
    func noteParts(of stream: HTTP2Stream) {
        if !stream.isUploading { uploading.append(stream) }
        stream.isUploading = true
        scheduleFlush()
    }

    /// Registers a stream whose driver is notified when the framed bytes are written.
    func notifyWhenWritten(of stream: HTTP2Stream) { awaitingWrite.append(stream) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { scheduleFlush() }
        context.fireChannelWritabilityChanged()
    }

    /// Schedules a flush at the end of this turn of the event loop.
    private func scheduleFlush() {
        guard !flushIsDue, !isReading, let context else { return }
        flushIsDue = true
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        flushIsDue = false
        guard let context else { return }
        // While the peer reads nothing, frames stay in the state machine, which limits them.
        while context.channel.isWritable {
            let isFull = frameBodies()
            guard let bytes = machine.takeOutbound() else { return }
            write(bytes, context)
            machine.recycle(bytes)
            guard isFull else { return }
        }
    }

    /// Writes the framed bytes, and completes the promises of their streams when they are written.
    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !awaitingWrite.isEmpty else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        let written = awaitingWrite.map { (stream: $0, isLast: $0.hasFramedEnd, promises: $0.takeWritePromises()) }
        awaitingWrite.removeAll(keepingCapacity: true)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [probe] result in
            for (stream, isLast, promises) in written {
                if case .success = result {
                    // A request without a body proves nothing: it is written even if the peer is gone.
                    if stream.hasFramedBody { probe.noteWritten() }
                    stream.driver.noteWritten(isLast: isLast)
                }
                for promise in promises { promise.completeWith(result) }
            }
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    /// Frames body parts of the streams in turns.
    ///
    /// - Returns: Whether more parts could be framed at once.
    private func frameBodies() -> Bool {
        var left = Self.chunkSize
        var blocked = 0
        while blocked < uploading.count, let stream = uploading.popFirst() {
            let framed = stream.frameParts(into: &machine, upTo: min(left, Self.turnSize))
            stream.isUploading = stream.hasParts
            if framed != nil { blocked = 0 } else if stream.isUploading { blocked += 1 }
            if framed != nil, awaitingWrite.last !== stream { awaitingWrite.append(stream) }
            if stream.isUploading { uploading.append(stream) }
            left -= framed ?? 0
            if left <= 0 { return true }
        }
        return false
    }
}
