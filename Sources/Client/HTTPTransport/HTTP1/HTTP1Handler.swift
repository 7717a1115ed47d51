// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import TLSTransport

/// The handler of an HTTP/1 connection, which performs one exchange after another until the connection
/// becomes a tunnel.
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
    /// The check whether the server received the last request, if the retry depends on it.
    private var receiptCheck: ReceiptCheck?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - lineTerminator: The accepted line terminator of a head.
    ///   - failure: The conversion of channel errors into transport errors.
    ///   - watch: The monitor of the peer's idle time.
    ///   - eventLoop: The event loop of the channel.
    init(_ lineTerminator: HeadLineTerminator, failure: ChannelFailure, watch: IdleMonitor, eventLoop: any EventLoop) {
        self.failure = failure
        parser = ResponseParser(headLimit: HeadLimit.size, lineTerminator: lineTerminator)
        driver = ExchangeDriver(.connection, failure: failure, watch: watch, eventLoop: eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        driver.attach(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.context, receiptCheck) = (nil, nil)
        driver.detach()
    }

    /// The other end of the connection.
    var peer: ConnectionPeer { failure.peer }

    /// Answers the server's request for an identity during an exchange.
    ///
    /// - Returns: Whether there is an exchange.
    func selectIdentity(for request: TLSIdentityRequest, _ promise: EventLoopPromise<TLSIdentity?>) -> Bool {
        driver.selectIdentity(for: request, promise)
    }

    // MARK: Tunnels

    /// Ends HTTP for a tunnel: the response to CONNECT has no body, and the bytes after it belong to the next handler.
    func detach() { driver.detach() }

    /// Drops the bytes for the next handler.
    func dropRemainingBytes() { _ = takeRemainingBytes() }

    /// Passes the target's bytes that have already arrived to the next handler.
    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if let rest = takeRemainingBytes() {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    /// Returns the bytes after the response that opened the tunnel.
    private func takeRemainingBytes() -> ByteBuffer? { parser.isTunnel ? parser.takeRemainingBytes() : nil }

    // MARK: The request

    /// Starts an exchange; call it on the connection's event loop.
    ///
    /// A request that must not be sent twice is not written if the server has already closed the connection (RFC 9112
    /// section 9.3.1).
    func begin(_ exchange: HTTPExchange) {
        guard let context, !exchange.isRetryable, failure.record.facts.hasServed else { return start(exchange) }
        guard context.channel.hasUnreadInput else { return startWithReceiptCheck(exchange, context.channel) }
        context.channel.afterReading { self.startWithReceiptCheck(exchange, context.channel) }
    }

    /// Starts an exchange that may be retried only if the server has received no byte of it.
    private func startWithReceiptCheck(_ exchange: HTTPExchange, _ channel: any Channel) {
        if case .complete = exchange.body, channel.isActive { receiptCheck = ReceiptCheck(channel) }
        start(exchange)
    }

    private func start(_ exchange: HTTPExchange) {
        let writePromise = writePromise(of: exchange)
        guard driver.start(exchange, writePromise: writePromise) else { return }
        do {
            try write(exchange, writePromise: writePromise)
        } catch {
            writePromise?.fail(error)
            return driver.fail(error)
        }
        context?.flush()
    }

    /// Returns a promise for the write; a retryable request needs none, because an error of the connection fails its
    /// exchange too.
    private func writePromise(of exchange: HTTPExchange) -> EventLoopPromise<Void>? {
        guard !exchange.isRetryable, let eventLoop = context?.eventLoop else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenFailure { [weak self, failure] error in
            self?.receiptCheck = nil
            // Delayed until other events of the same turn are processed: an early response,
            // or the end of the connection.
            eventLoop.execute { exchange.fail(failure.notSent(error)) }
        }
        return promise
    }

    var isActive: Bool { context?.channel.isActive ?? false }

    /// Writes a request, or its head if the body follows.
    ///
    /// - Parameters:
    ///   - exchange: The exchange with the request.
    ///   - writePromise: The promise for the write of the complete request or, if the body follows, of its head.
    /// - Throws: An error if the request cannot be written.
    private func write(_ exchange: HTTPExchange, writePromise: EventLoopPromise<Void>?) throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        let method = exchange.request.method
        parser.expect(.init(isHead: method == .head, isConnect: method == .connect))
        switch exchange.body {
        case .complete(nil) where exchange.limits.response == nil:
            // A head alone counts as written at once: a promise would cost more than the write.
            context.write(wrapOutboundOut(try encoder.head(exchange)), promise: writePromise)
            driver.noteWritten(isLast: true)
        case .complete(let body):
            try encoder.write(exchange, complete: body) { part, isLast in
                let promise = isLast ? writePromise ?? context.eventLoop.makePromise() : context.eventLoop.makePromise()
                noteWritten(promise, isLast: isLast)
                context.write(wrapOutboundOut(part), promise: promise)
            }
        case .following:
            context.write(wrapOutboundOut(try encoder.head(exchange)), promise: writePromise)
            exchange.headWasWritten(on: context.eventLoop)
        }
    }

    func send(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>) {
        guard let context else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        noteWritten(writePromise, isLast: false)
        for part in parts.dropLast() { context.write(wrapOutboundOut(encoder.part(part)), promise: nil) }
        let last = parts.last ?? ByteBuffer()
        context.writeAndFlush(wrapOutboundOut(encoder.part(last)), promise: writePromise)
    }

    func sendEnd(writePromise: EventLoopPromise<Void>) {
        guard let context else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        noteWritten(writePromise, isLast: true)
        context.writeAndFlush(wrapOutboundOut(encoder.end()), promise: writePromise)
    }

    private func noteWritten(_ promise: EventLoopPromise<Void>, isLast: Bool) {
        promise.futureResult.assumeIsolated().whenSuccess { [driver] in driver.noteWritten(isLast: isLast) }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receiptCheck = nil
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

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
    }

    /// Ends the exchange; if the server ended the connection before the request arrived,
    /// the request counts as not processed.
    private func fail(_ error: any Error) {
        let isUnprocessed = failure.isEnd(error) && receiptCheck?.receivedNothing == true
        receiptCheck = nil
        driver.fail(isUnprocessed ? failure.notReceived(error) : error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // If the pool closed the connection, a body without a length is not complete.
        if !failure.record.facts.isAborted, let end = parser.close() { driver.receive(ExchangePart(end)) }
        if !driver.isClosed { fail(ChannelError.eof) }
        receiptCheck = nil
        context.fireChannelInactive()
    }

    // MARK: Back-pressure

    func read(context: ChannelHandlerContext) {
        guard driver.hasCapacity else {
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

    // MARK: Closing

    func close() { context?.close(promise: nil) }
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
                    keepsAlive: head.keepsAlive(framing), isComplete: false)
            case .body(let buffer): .body(buffer, isLast: false)
            case .end(let isAlone): .end(isAlone: isAlone)
            }
    }
}

/// An encoder of the requests of one connection (RFC 9112).
private struct HTTP1RequestEncoder {
    /// Whether a body in parts is sent in chunks (RFC 9112 section 7.1).
    private var isChunked = false
    /// The head of the last request.
    private var buffer = ByteBuffer()

    mutating func write(_ exchange: HTTPExchange, complete: ByteBuffer?, to emit: (ByteBuffer, _ isLast: Bool) -> Void)
        throws
    {
        try writeHead(exchange)
        guard let complete, complete.readableBytes > 0 else { return emit(buffer, true) }
        guard complete.readableBytes > Self.copyLimit else {
            buffer.writeImmutableBuffer(complete)
            return emit(buffer, true)
        }
        emit(buffer, false)
        var rest = complete
        repeat { emit(rest.readPiece(), rest.readableBytes == 0) } while rest.readableBytes > 0
    }

    /// The maximum size of a body that is copied into the buffer of its head, in bytes.
    private static let copyLimit = 16 * 1024
    /// The maximum capacity of the head's buffer that is reused for the next head, in bytes.
    private static let maximumReusedCapacity = 4 * 1024

    mutating func head(_ exchange: HTTPExchange) throws -> ByteBuffer {
        try writeHead(exchange)
        return buffer
    }

    /// Writes a head into the buffer, whose memory is reused if the last request is written.
    private mutating func writeHead(_ exchange: HTTPExchange) throws {
        let request = exchange.request
        isChunked = request.headerFields[.transferEncoding] != nil
        if buffer.storageCapacity > Self.maximumReusedCapacity { buffer = ByteBuffer() }
        let target = try Self.target(of: exchange)
        var size = 0
        Self.forEachPart(of: request, to: target) { size += $0.utf8.count }
        buffer.clear(minimumCapacity: 512)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            var offset = 0
            Self.forEachPart(of: request, to: target) { part in
                var part = part
                part.withUTF8 { utf8 in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: .init(utf8))
                    offset += utf8.count
                }
            }
            return offset
        }
    }

    /// Calls a closure with each part of a request's head, in order.
    private static func forEachPart(of request: HTTPRequest, to target: String, _ write: (String) -> Void) {
        write(request.method.rawValue)
        write(" ")
        write(target)
        write(" HTTP/1.1\r\n")
        if let authority = request.authority {
            write("Host: ")
            write(authority)
            write("\r\n")
        }
        for field in request.headerFields where field.name.canonicalName != "host" || request.authority == nil {
            write(field.name.rawName)
            write(": ")
            write(field.value)
            write("\r\n")
        }
        write("\r\n")
    }

    /// Returns the request target in the form that the recipient needs (RFC 9112 section 3.2).
    ///
    /// - Throws: ``TransportError/malformedTarget(_:)`` if a part of it is missing,
    ///   or contains a space or control character.
    private static func target(of exchange: HTTPExchange) throws -> String {
        let request = exchange.request
        func checked(_ part: String?) throws -> String {
            guard let part, part.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw TransportError.malformedTarget(request.path ?? "")
            }
            return part
        }
        return switch request.method {
        case .connect: try checked(request.authority)
        case _ where exchange.isAbsoluteForm:
            try checked(request.scheme) + "://" + checked(request.authority) + checked(request.path)
        default: try checked(request.path)
        }
    }

    func part(_ buffer: ByteBuffer) -> ByteBuffer {
        guard isChunked else { return buffer }
        guard buffer.readableBytes > 0 else { return ByteBuffer() }
        var chunk = ByteBuffer()
        chunk.reserveCapacity(buffer.readableBytes + 12)
        chunk.writeString(String(buffer.readableBytes, radix: 16))
        chunk.writeString("\r\n")
        chunk.writeImmutableBuffer(buffer)
        chunk.writeString("\r\n")
        return chunk
    }

    func end() -> ByteBuffer { isChunked ? ByteBuffer(string: "0\r\n\r\n") : ByteBuffer() }
}
