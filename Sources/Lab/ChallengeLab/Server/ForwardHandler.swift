// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP1

/// A handler that forwards a request's body to an origin and the response to the proxy's client, whose
/// connection stays open.
final class ForwardHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart
    private typealias Part = HTTPServerResponsePart

    private static let hopByHop = ["connection", "proxy-connection", "keep-alive", "upgrade"]

    private let client: ChannelHandlerContext
    private let head: HTTPRequestHead
    /// The closure to call when the origin can receive more of the body.
    private let resumeBody: () -> Void
    /// The parts of the body that arrived before the connection to the origin.
    private var bufferedBody: [ByteBuffer] = []
    private var bodyHasEnded = false
    private var origin: ChannelHandlerContext?
    private var isReadPending = false
    private var isComplete = false
    private var isAbandoned = false

    /// Creates a handler.
    ///
    /// Both channels must have the same event loop.
    init(client: ChannelHandlerContext, head: HTTPRequestHead, resumeBody: @escaping () -> Void) {
        self.client = client
        self.head = head
        self.resumeBody = resumeBody
    }

    // MARK: The body

    /// Whether the client must wait before it sends more.
    var isFull: Bool {
        guard !isAbandoned, !isComplete else { return false }
        return origin.map { !$0.channel.isWritable } ?? !bufferedBody.isEmpty
    }

    /// Sends a part of the body.
    ///
    /// It is discarded if the origin's response is complete or the client has disconnected.
    func send(_ part: ByteBuffer) {
        guard !isAbandoned, !isComplete, part.readableBytes > 0 else { return }
        guard let origin, origin.channel.isActive else { return bufferedBody.append(part) }
        origin.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
    }

    /// Ends the body.
    func finish() {
        bodyHasEnded = true
        guard !isComplete, let origin, origin.channel.isActive else { return }
        origin.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resumeBody() }
        context.fireChannelWritabilityChanged()
    }

    // MARK: The origin

    /// Adds the HTTP handlers to the channel to the origin.
    ///
    /// - Throws: `CancellationError` if the client disconnected while the origin's name was resolved.
    func addHandlers(to origin: any Channel) throws {
        guard !isAbandoned else { throw CancellationError() }
        try origin.pipeline.syncOperations.addHTTPClientHandlers()
        try origin.pipeline.syncOperations.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        origin = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        origin = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        for part in bufferedBody { context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil) }
        bufferedBody = []
        if bodyHasEnded { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        context.flush()
        resumeBody()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            Self.hopByHop.forEach { head.headers.remove(name: $0) }
            // The client gets a response in the proxy's HTTP version, regardless of the origin's.
            head.version = .http1_1
            client.write(NIOAny(Part.head(head)), promise: nil)
        case .body(let part):
            client.write(NIOAny(Part.body(.byteBuffer(part))), promise: nil)
        case .end:
            isComplete = true
            client.writeAndFlush(NIOAny(Part.end(nil)), promise: nil)
            resumeBody()
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isComplete { client.close(promise: nil) }
        resumeBody()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        guard client.channel.isWritable else {
            isReadPending = true
            return
        }
        context.read()
    }

    /// Resumes reading from the origin when the client's channel is writable.
    func resume() {
        guard isReadPending, client.channel.isWritable else { return }
        isReadPending = false
        origin?.read()
    }

    /// Closes the connection to the origin after the client has disconnected.
    func abandon() {
        isAbandoned = true
        origin?.close(promise: nil)
    }
}
