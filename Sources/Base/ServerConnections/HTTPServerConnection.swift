// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore
package import NIOHTTP1
import POSIX

/// Enforces HTTP/1 rules and timeouts on a server connection, so that request handlers need not implement them.
///
/// The handler is between NIO's codec and the request handlers. It replaces NIO's `HTTPServerProtocolErrorHandler`,
/// which rejects body parts of a request after its response. It enforces these rules:
/// - A response to HEAD has no body (RFC 9110 section 9.3.2), even if the handler writes one.
/// - An HTTP/1.0 client gets no chunked coding and no interim response. Its connection closes after the response,
///   unless the client requested otherwise and the response's length is known (RFC 9112 sections 6.1 and 9.3).
/// - After `Connection: close` from either side, the connection closes, and later requests are not read (RFC 9112
///   section 9.6).
/// - A client that waits before sending its body gets a 100 (Continue) response (RFC 9110 section 10.1.1).
/// - The connection of a client that is too slow with its header, its body, its next request or with reading is closed.
package final class HTTPServerConnection: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// The timeouts for a client.
    package struct Timeouts: Sendable {
        /// The time from the connection to the end of the first header, including the TLS handshake.
        package var head = TimeAmount.seconds(30)
        /// The time in which ``minimumBody`` bytes of a body, or its end, must arrive.
        package var body = TimeAmount.seconds(30)
        /// The minimum number of body bytes to receive within ``body``.
        package var minimumBody = 15_000
        /// The time from a response to the end of the next header; the default of nginx, which is longer than a reverse
        /// proxy keeps a connection.
        package var idle = TimeAmount.seconds(75)
        /// The time in which the client must read some of the bytes written.
        package var send = TimeAmount.seconds(60)
        /// The time for the client to close the connection after the last response.
        package var closing = TimeAmount.seconds(2)

        package init() {}
    }

    /// The time for the first header while other clients cannot connect.
    private static let headTimeInShortage = TimeAmount.seconds(1)
    /// The maximum number of body bytes to read after the response in order to keep the connection, as in Go's server.
    private static let maximumUnreadBody = 256 << 10

    /// A request whose response is not complete.
    private struct Exchange {
        let isHead: Bool
        let isHTTP10: Bool
        let keepsAlive: Bool
        var wantsContinue: Bool
    }

    /// The client's action for which the server waits.
    private enum Wait {
        case firstHead, body, response, nextHead, closing
    }

    private let timeouts: Timeouts
    private let start = NIODeadline.now()
    /// The exchanges in order; the server is answering the first.
    private var exchanges: [Exchange] = []
    /// The number of bytes still to receive of the current request body, according to its header; `nil` between bodies.
    private var unreceived: Int?
    private var receivedAfterResponse = 0
    /// Whether later requests on the connection are not read.
    private var isLastRequestReceived = false
    private var isDiscarding = false
    private var closesAfterResponse = false
    private var isClosing = false
    private var isInputClosed = false

    // The timer
    private var awaited = Wait.firstHead
    private var timer: Scheduled<Void>?
    private var timerEnd = NIODeadline.distantFuture
    private var deadline = NIODeadline.distantFuture
    /// The number of body bytes received since the deadline was set.
    private var receivedInTime = 0
    /// Whether the server is reading from the client.
    private var isReading = false
    /// The number of body bytes written.
    private var written = 0
    /// The number of bytes in ``written`` that the client had acknowledged when the deadline was set.
    private var acknowledged = 0

    package init(_ timeouts: Timeouts = Timeouts()) { self.timeouts = timeouts }

    package func handlerAdded(context: ChannelHandlerContext) { expect(.firstHead, context) }

    package func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    package func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        isClosing = true
        context.fireChannelInactive()
    }

    // MARK: Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isDiscarding = isLastRequestReceived
            guard !isDiscarding else { return }
            receive(head, context)
        case .body(let part):
            guard !isDiscarding else { return }
            receivedInTime += part.readableBytes
            unreceived = unreceived.map { max(0, $0 - part.readableBytes) }
            if exchanges.isEmpty {
                receivedAfterResponse += part.readableBytes
                if receivedAfterResponse > Self.maximumUnreadBody { return close(context) }
            }
        case .end:
            guard !isDiscarding else { return }
            unreceived = nil
            expect(exchanges.isEmpty ? .nextHead : .response, context)
        }
        context.fireChannelRead(data)
    }

    private func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isHTTP10 = (head.version.major, head.version.minor) < (1, 1)
        isLastRequestReceived = !head.isKeepAlive
        exchanges.append(
            Exchange(
                isHead: head.method == .HEAD, isHTTP10: isHTTP10, keepsAlive: head.isKeepAlive,
                wantsContinue: !isHTTP10
                    && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }))
        // The length of a body with chunked coding is unknown.
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        unreceived = head.headers.contains(name: "transfer-encoding") ? .max : length
        receivedAfterResponse = 0
        expect(.body, context)
        if exchanges.count == 1 { sendContinue(context) }
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        guard exchanges.first?.wantsContinue == true, unreceived != nil else { return }
        exchanges[0].wantsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    package func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isLastRequestReceived = true
            if isIdle { closeIdle(context) }
        case is ServerConnectionShortage:
            let isLate = awaited == .firstHead && NIODeadline.now() - start >= Self.headTimeInShortage
            if isLate || awaited == .nextHead { closeIdle(context) }
        case ChannelEvent.inputClosed:
            isInputClosed = true
            if isClosing { return context.close(promise: nil) }
            if isIdle { closeIdle(context) }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    private var isIdle: Bool { exchanges.isEmpty && unreceived == nil }

    // MARK: Responses

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = exchanges.first
        // An empty body part writes no bytes, and completes the promise in order.
        let nothing = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if (100..<200).contains(head.status.code), head.status != .switchingProtocols {
                // An HTTP/1.0 client would mistake an interim response for the final one (RFC 9110 section 15.2).
                return context.write(exchange?.isHTTP10 == true ? nothing : data, promise: promise)
            }
            frame(&head, for: exchange)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let part):
            if exchange?.isHead != true { written += part.readableBytes }
            context.write(exchange?.isHead == true ? nothing : data, promise: promise)
        case .end:
            // The encoder would write the last chunk of a body.
            context.write(exchange?.isHead == true ? nothing : data, promise: promise)
            finish(context)
        }
    }

    /// Decides whether the connection persists, and sets the header fields accordingly.
    private func frame(_ head: inout HTTPResponseHead, for exchange: Exchange?) {
        // After a message that is not HTTP, the response is the last one.
        let keepsAlive = exchange?.keepsAlive == true && head.isKeepAlive
        let isLast = isLastRequestReceived && exchanges.count < 2
        closesAfterResponse = !keepsAlive || isLast || hasLargeUnreadBody
        if exchange?.isHTTP10 == true {
            // NIO's encoder does not use chunked coding with this version.
            head.version = .http1_0
            head.headers.remove(name: "transfer-encoding")
            let hasEnd = head.headers.contains(name: "content-length") || !head.status.mayHaveResponseBody
            if !hasEnd, exchange?.isHead == false { closesAfterResponse = true }
            if !closesAfterResponse { head.headers.replaceOrAdd(name: "connection", value: "keep-alive") }
        }
        if closesAfterResponse { head.headers.replaceOrAdd(name: "connection", value: "close") }
    }

    /// Whether the rest of the request's body is too long to receive.
    private var hasLargeUnreadBody: Bool {
        exchanges.count == 1 && unreceived.map { $0 != .max && $0 > Self.maximumUnreadBody } ?? false
    }

    private func finish(_ context: ChannelHandlerContext) {
        if !exchanges.isEmpty { exchanges.removeFirst() }
        guard !closesAfterResponse, !isInputClosed || !exchanges.isEmpty else { return close(context) }
        sendContinue(context)
        if isIdle { expect(.nextHead, context) }
    }

    /// Closes the connection after the pending writes; it first closes only the output, because a reset caused by
    /// further input could prevent the client from reading the response (RFC 9112 section 9.6).
    private func close(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        (isClosing, isDiscarding, isLastRequestReceived) = (true, true, true)
        let flushed = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: flushed)
        expect(.response, context)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        flushed.futureResult.whenComplete { result in
            let (handler, context) = bound.value
            guard case .success = result, !handler.isInputClosed else { return context.close(promise: nil) }
            handler.expect(.closing, context)
            let closed = context.eventLoop.makePromise(of: Void.self)
            // Some channels do not support closing only one side.
            closed.futureResult.whenFailure { _ in bound.value.context.close(promise: nil) }
            context.close(mode: .output, promise: closed)
        }
    }

    /// Closes an idle connection, immediately if all data was written to the socket.
    private func closeIdle(_ context: ChannelHandlerContext) {
        if bufferedByteCount(context) == 0 { context.close(promise: nil) } else { close(context) }
    }

    // MARK: Timeouts

    private func expect(_ wait: Wait, _ context: ChannelHandlerContext) {
        awaited = wait
        let time =
            switch wait {
            case .firstHead: timeouts.head
            case .body: timeouts.body
            case .response: timeouts.send
            case .nextHead: timeouts.idle
            case .closing: timeouts.closing
            }
        receivedInTime = 0
        acknowledged = written - unacknowledgedByteCount(context)
        deadline = .now() + time
        if deadline < timerEnd { schedule(context) }
    }

    /// Schedules the timer, which serves all waits; it is rescheduled only if it would fire after the deadline.
    private func schedule(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer?.cancel()
        timerEnd = deadline
        timer = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.timerEnd = .distantFuture
            if handler.deadline <= .now() { handler.timeOut(context) } else { handler.schedule(context) }
        }
    }

    private func timeOut(_ context: ChannelHandlerContext) {
        let buffered = unacknowledgedByteCount(context)
        let isStuck = buffered > 0 && written - buffered <= acknowledged
        let continues =
            switch awaited {
            case .firstHead, .closing: false
            // While the server does not read, the client cannot send.
            case .body: receivedInTime >= timeouts.minimumBody || !isReading
            // While the server prepares a response, the client has nothing to do.
            case .response: !isStuck
            case .nextHead: buffered > 0 && !isStuck
            }
        if continues { expect(awaited, context) } else { context.close(promise: nil) }
    }

    /// Returns the number of bytes written that the client has not acknowledged.
    ///
    /// The number includes the socket's buffer: the system buffers megabytes,
    /// so that a slow client would otherwise appear to read nothing.
    private func unacknowledgedByteCount(_ context: ChannelHandlerContext) -> Int {
        bufferedByteCount(context) + context.channel.sentByteCount
    }

    private func bufferedByteCount(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

extension Channel {
    /// The number of bytes in the socket's buffer that the peer
    /// has not acknowledged; 0 if the system does not provide it.
    fileprivate var sentByteCount: Int {
        #if os(Linux)
            let count = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                socket in
                var count: CInt = 0
                return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
            }
            return count ?? 0
        #else
            return 0
        #endif
    }
}
