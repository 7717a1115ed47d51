// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
package import NIOCore

/// The owner of a connection, which decides on the server and on the identity; called on the channel's event loop.
///
/// Each promise must be completed, on any thread, even if the connection has ended.
package protocol TLSClientDelegate: AnyObject {
    /// Accepts the start of the handshake on an open channel.
    ///
    /// - Returns: The session to resume; `nil` for a full handshake.
    func handshakeStarted(on channel: any Channel) -> TLSSession?

    /// Decides whether the server is trusted; a failure with a ``TLSRefusal`` selects the alert.
    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>)

    /// Selects the identity to present, or none; a failure with a ``TLSRefusal`` selects the alert.
    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>)

    /// Accepts a session for a later connection.
    func sessionReceived(_ session: TLSSession)

    /// Accepts the result of the first handshake, once; handlers that are added to the channel now receive all data.
    ///
    /// Later errors reach the handlers.
    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel)
}

/// The TLS of a client's channel.
///
/// It differs from NIOSSL's handler in that a close does not wait for the server's close_notify, which RFC 8446
/// section 6.1 does not require. The promise of a write is completed when its last byte is in the socket.
package final class TLSClientHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private struct Write {
        let bytes: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    /// The number of encrypted bytes that are passed on at once.
    private static let chunkSize = 64 * 1_024
    /// The number of bytes that the server may send while a question waits for its answer.
    private static let maximumPendingInput = 64 * 1_024

    private let engine: TLSEngine
    private let delegate: any TLSClientDelegate
    private var context: ChannelHandlerContext?
    private var writes: Deque<Write> = []
    /// The number of writes that were flushed.
    private var flushedCount = 0
    private var isRunning = false
    private var hasStarted = false
    private var isHandshakeOver = false
    /// Whether data was passed on since the last complete read.
    private var hasDelivered = false
    private var isReadHeldBack = false
    /// The refusal by the delegate, which is reported instead of the engine's failure.
    private var refusal: (any Error)?
    private var signer: TLSSigner?

    package init(_ engine: TLSEngine, delegate: any TLSClientDelegate) {
        (self.engine, self.delegate) = (engine, delegate)
    }

    // MARK: The channel's life

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { start(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        start(context)
    }

    private func start(_ context: ChannelHandlerContext) {
        guard !hasStarted else { return }
        hasStarted = true
        if let session = delegate.handshakeStarted(on: context.channel) { engine.resume(session) }
        run(context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        engine.receiveEnd()
        run(context)
        endHandshake(.failure(ChannelError.eof), context)
        failWrites(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        engine.abandon()
        failWrites(ChannelError.ioOnClosedChannel)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isHandshakeOver else { return end(error, context) }
        context.fireErrorCaught(error)
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        engine.receive(unwrapInboundIn(data))
        run(context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        guard !completeRead(context) else { return }
        // The read of the handlers above has no result yet.
        let isAutomatic = try? context.channel.syncOptions?.getOption(.autoRead)
        if isAutomatic == false { read(context: context) }
    }

    /// Completes a read for the handlers above if they received data.
    @discardableResult
    private func completeRead(_ context: ChannelHandlerContext) -> Bool {
        guard hasDelivered else { return false }
        hasDelivered = false
        context.fireChannelReadComplete()
        return true
    }

    package func read(context: ChannelHandlerContext) {
        isReadHeldBack = engine.isWaiting && engine.pendingInput >= Self.maximumPendingInput
        if !isReadHeldBack { context.read() }
    }

    // MARK: Events

    /// Processes the engine's events until it waits for the server or for an answer.
    ///
    /// The engine is not active while an event is processed, so that handlers and delegates may call back.
    private func run(_ context: ChannelHandlerContext) {
        guard !isRunning else { return }
        isRunning = true
        while let event = engine.next() { process(event, context) }
        isRunning = false
        send(context)
    }

    private func process(_ event: TLSEvent, _ context: ChannelHandlerContext) {
        switch event {
        case .verificationRequested(let credentials):
            delegate.verify(
                credentials,
                promise: question(context, alert: .certificateUnknown) { handler, _ in handler.engine.approveServer() })
        case .identityRequested(let request):
            delegate.selectIdentity(
                for: request, promise: question(context, alert: .internalError) { $0.use($1) })
        case .signatureRequested(let scheme, let message):
            guard let signer else { return engine.refuse(.internalError) }
            let promise = question(of: [UInt8].self, context, alert: .internalError) { $0.engine.use(signature: $1) }
            promise.completeWithTask { try await signer.sign(scheme, message) }
        case .handshakeCompleted(let facts):
            endHandshake(.success(facts), context)
        case .sessionReceived(let session):
            delegate.sessionReceived(session)
        case .received(let bytes):
            hasDelivered = true
            context.fireChannelRead(wrapInboundOut(bytes))
        case .inputClosed:
            completeRead(context)
            close(context: context, mode: .all, promise: nil)
        case .failed(let failure):
            end(refusal ?? failure, context)
        }
    }

    /// Creates the promise of a question, whose result continues the connection.
    private func question<Value: Sendable>(
        of: Value.Type = Value.self, _ context: ChannelHandlerContext, alert: TLSAlert,
        _ answer: @escaping (TLSClientHandler, Value) -> Void
    ) -> EventLoopPromise<Value> {
        let promise = context.eventLoop.makePromise(of: Value.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            guard let context = self.context else { return }
            switch result {
            case .success(let value):
                answer(self, value)
            case .failure(let error):
                let stated = error as? TLSRefusal
                refusal = stated?.reason ?? error
                engine.refuse(stated?.alert ?? alert)
            }
            run(context)
            // In a read, its end completes this as well.
            if !isRunning { completeRead(context) }
            if isReadHeldBack { read(context: context) }
        }
        return promise
    }

    private func use(_ identity: TLSIdentity?) {
        if case .signer(let signer) = identity?.key { self.signer = signer }
        engine.use(identity)
    }

    private func endHandshake(_ result: Result<TLSConnectionFacts, any Error>, _ context: ChannelHandlerContext) {
        guard !isHandshakeOver else { return }
        isHandshakeOver = true
        delegate.handshakeEnded(result, on: context.channel)
    }

    /// Ends the connection with an error, after the alert was sent.
    private func end(_ error: any Error, _ context: ChannelHandlerContext) {
        if let alert = engine.takeOutput() { context.writeAndFlush(wrapOutboundOut(alert), promise: nil) }
        engine.abandon()
        completeRead(context)
        if isHandshakeOver {
            context.fireErrorCaught(error)
        } else {
            endHandshake(.failure(error), context)
        }
        failWrites(error)
        context.close(promise: nil)
    }

    // MARK: Writing

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if engine.hasEnded {
            promise?.fail(ChannelError.ioOnClosedChannel)
        } else {
            writes.append(Write(bytes: unwrapOutboundIn(data), promise: promise))
        }
    }

    package func flush(context: ChannelHandlerContext) {
        flushedCount = writes.count
        send(context)
    }

    /// Encrypts the flushed writes if that is possible, and passes on all bytes for the server.
    private func send(_ context: ChannelHandlerContext) {
        while flushedCount > 0, engine.canSend {
            var promises: [EventLoopPromise<Void>] = []
            while flushedCount > 0, engine.outputCount < Self.chunkSize, let write = writes.popFirst() {
                flushedCount -= 1
                engine.send(write.bytes)
                if let promise = write.promise { promises.append(promise) }
            }
            engine.flush()
            guard !engine.hasEnded else {
                promises.forEach { $0.fail(ChannelError.ioOnClosedChannel) }
                return run(context)
            }
            pass(engine.takeOutput() ?? ByteBuffer(), promises, context)
        }
        if let output = engine.takeOutput() { pass(output, [], context) }
        context.flush()
    }

    private func pass(_ bytes: ByteBuffer, _ promises: [EventLoopPromise<Void>], _ context: ChannelHandlerContext) {
        var promise = promises.first
        if promises.count > 1 {
            promise = context.eventLoop.makePromise()
            promise?.futureResult.whenComplete { result in promises.forEach { $0.completeWith(result) } }
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    private func failWrites(_ error: any Error) {
        let failed = writes
        (writes, flushedCount) = ([], 0)
        failed.forEach { $0.promise?.fail(error) }
    }

    // MARK: Closing

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        engine.close()
        if let notice = engine.takeOutput() { context.writeAndFlush(wrapOutboundOut(notice), promise: nil) }
        failWrites(ChannelError.ioOnClosedChannel)
        context.close(promise: promise)
    }
}

@available(*, unavailable)
extension TLSClientHandler: Sendable {}
