// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore
package import NIOHTTP1
import POSIX

/// Holds a connection of an HTTP/1 server to the rules that no handler of requests should have to know, and bounds its waits.
///
/// It stands between NIO's coder and what answers the requests, in the place of NIO's `HTTPServerProtocolErrorHandler`, which takes no part of a
/// body after a response:
/// - a response to HEAD has no body (RFC 9110 section 9.3.2), whatever is written;
/// - a client of HTTP/1.0 gets no chunks and no interim response, and its connection ends after the response, unless the client asked
///   otherwise and the response's length is known (RFC 9112 sections 6.1 and 9.3);
/// - after `Connection: close` from either side the connection ends, and later requests are not read (RFC 9112 section 9.6);
/// - a client that waits with its body is asked for it (RFC 9110 section 10.1.1);
/// - a client that is too slow with its head, its body, its next request or with reading loses the connection.
package final class HTTPServerConnection: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// The time limits of a server's waits for a client.
    package struct Timeouts: Sendable {
        /// The time from the connection to the end of the first head, the TLS handshake included.
        package var head = TimeAmount.seconds(30)
        /// The time in which ``minimumBody`` bytes of a body have to arrive, or its end.
        package var body = TimeAmount.seconds(30)
        /// The number of bytes for ``body``.
        package var minimumBody = 15_000
        /// The time from a response to the end of the next head; nginx's, and more than a proxy before it keeps a connection.
        package var idle = TimeAmount.seconds(75)
        /// The time in which the client has to take some of what was written.
        package var send = TimeAmount.seconds(60)
        /// The time that the client gets to close the connection after the last response.
        package var closing = TimeAmount.seconds(2)

        package init() {}
    }

    /// The time for the first head while other clients cannot connect.
    private static let headTimeInShortage = TimeAmount.seconds(1)
    /// A body that is longer is not read to its end after the response, in bytes; Go's number.
    private static let maximumUnreadBody = 256 << 10

    /// A request whose response is not complete.
    private struct Exchange {
        let isHead: Bool
        let isHTTP10: Bool
        let keepsAlive: Bool
        var wantsContinue: Bool
    }

    /// The step of the client that the server waits for.
    private enum Wait {
        case firstHead, body, response, nextHead, closing
    }

    private let timeouts: Timeouts
    private let start = NIODeadline.now()
    /// The first is the one that is being answered.
    private var exchanges: [Exchange] = []
    /// Bytes that are still to come of a body that is being received, as far as its head says; `nil` while none is received.
    private var unreceived: Int?
    private var receivedAfterResponse = 0
    /// Whether the request is the last one.
    private var takesNoMore = false
    private var isDiscarding = false
    private var closesAfterResponse = false
    private var isClosing = false
    private var isInputClosed = false

    // The timer
    private var awaited = Wait.firstHead
    private var timer: Scheduled<Void>?
    private var timerEnd = NIODeadline.distantFuture
    private var deadline = NIODeadline.distantFuture
    /// The number of bytes of the body since the deadline was set.
    private var receivedInTime = 0
    /// Whether the server asks for bytes of the client.
    private var isReading = false
    /// The number of bytes of bodies that were written.
    private var written = 0
    /// The part of ``written`` that the client had taken when the deadline was set.
    private var taken = 0

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
            isDiscarding = takesNoMore
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
        takesNoMore = !head.isKeepAlive
        exchanges.append(
            Exchange(
                isHead: head.method == .HEAD, isHTTP10: isHTTP10, keepsAlive: head.isKeepAlive,
                wantsContinue: !isHTTP10
                    && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }))
        // A body in chunks may have any length.
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        unreceived = head.headers.contains(name: "transfer-encoding") ? .max : length
        receivedAfterResponse = 0
        expect(.body, context)
        if exchanges.count == 1 { askForBody(context) }
    }

    private func askForBody(_ context: ChannelHandlerContext) {
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
            takesNoMore = true
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
        // An empty part of a body adds nothing, and completes the promise in its turn.
        let nothing = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if (100..<200).contains(head.status.code), head.status != .switchingProtocols {
                // RFC 9110 section 15.2: a client of HTTP/1.0 takes it for the response.
                return context.write(exchange?.isHTTP10 == true ? nothing : data, promise: promise)
            }
            frame(&head, for: exchange)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let part):
            if exchange?.isHead != true { written += part.readableBytes }
            context.write(exchange?.isHead == true ? nothing : data, promise: promise)
        case .end:
            // The encoder would end a body in chunks.
            context.write(exchange?.isHead == true ? nothing : data, promise: promise)
            finish(context)
        }
    }

    /// Decides whether the connection goes on, and says so.
    private func frame(_ head: inout HTTPResponseHead, for exchange: Exchange?) {
        // The response to a request that is not HTTP is the last one.
        let keepsAlive = exchange?.keepsAlive == true && head.isKeepAlive
        let isLast = takesNoMore && exchanges.count < 2
        closesAfterResponse = !keepsAlive || isLast || leavesMuchUnread
        if exchange?.isHTTP10 == true {
            // NIO's encoder sends no chunks with it.
            head.version = .http1_0
            head.headers.remove(name: "transfer-encoding")
            let hasEnd = head.headers.contains(name: "content-length") || !head.status.mayHaveResponseBody
            if !hasEnd, exchange?.isHead == false { closesAfterResponse = true }
            if !closesAfterResponse { head.headers.replaceOrAdd(name: "connection", value: "keep-alive") }
        }
        if closesAfterResponse { head.headers.replaceOrAdd(name: "connection", value: "close") }
    }

    /// Whether more of the request's body is to come than is worth receiving.
    private var leavesMuchUnread: Bool {
        exchanges.count == 1 && unreceived.map { $0 != .max && $0 > Self.maximumUnreadBody } ?? false
    }

    private func finish(_ context: ChannelHandlerContext) {
        if !exchanges.isEmpty { exchanges.removeFirst() }
        guard !closesAfterResponse, !isInputClosed || !exchanges.isEmpty else { return close(context) }
        askForBody(context)
        if isIdle { expect(.nextHead, context) }
    }

    /// Ends the connection after what was written: for the client to read that, what it still sends must not reset the connection
    /// (RFC 9112 section 9.6).
    private func close(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        (isClosing, isDiscarding, takesNoMore) = (true, true, true)
        let flushed = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: flushed)
        expect(.response, context)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        flushed.futureResult.whenComplete { result in
            let (handler, context) = bound.value
            guard case .success = result, !handler.isInputClosed else { return context.close(promise: nil) }
            handler.expect(.closing, context)
            let closed = context.eventLoop.makePromise(of: Void.self)
            // Not every channel can close one side.
            closed.futureResult.whenFailure { _ in bound.value.context.close(promise: nil) }
            context.close(mode: .output, promise: closed)
        }
    }

    /// Ends a connection on which nothing is to come, at once if the client has taken all that was written.
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
        taken = written - unacknowledgedByteCount(context)
        deadline = .now() + time
        if deadline < timerEnd { schedule(context) }
    }

    /// One timer serves all waits: it is set anew only if it would be late.
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
        let isStuck = buffered > 0 && written - buffered <= taken
        let goesOn =
            switch awaited {
            case .firstHead, .closing: false
            // While the server reads nothing, the client can send nothing.
            case .body: receivedInTime >= timeouts.minimumBody || !isReading
            // As long as the server makes a response, the client has nothing to do.
            case .response: !isStuck
            case .nextHead: buffered > 0 && !isStuck
            }
        if goesOn { expect(awaited, context) } else { context.close(promise: nil) }
    }

    /// The number of bytes that were written and that the client has not acknowledged.
    ///
    /// The socket's buffer counts too: the system takes bytes into it by the megabyte, so that a slow client would seem to take none.
    private func unacknowledgedByteCount(_ context: ChannelHandlerContext) -> Int {
        bufferedByteCount(context) + context.channel.sentByteCount
    }

    private func bufferedByteCount(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

extension Channel {
    /// The number of bytes in the socket's buffer, sent or not, that the peer has not acknowledged; 0 where the system does not tell.
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
