// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP1

/// Passes an origin's response on to a proxy's client, whose connection stays open for more.
final class ForwardHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart
    private typealias Part = HTTPServerResponsePart

    private static let hopByHop = ["connection", "proxy-connection", "keep-alive", "upgrade"]

    private let client: ChannelHandlerContext
    private let head: HTTPRequestHead
    private let body: ByteBuffer
    private var origin: ChannelHandlerContext?
    private var readIsHeldBack = false
    private var isComplete = false
    private var isAbandoned = false

    /// Both channels have to be on one event loop.
    init(client: ChannelHandlerContext, head: HTTPRequestHead, body: ByteBuffer) {
        self.client = client
        self.head = head
        self.body = body
    }

    /// Adds what speaks HTTP to the origin.
    ///
    /// - Throws: `CancellationError` where the client went while the origin's name was looked up.
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
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            Self.hopByHop.forEach { head.headers.remove(name: $0) }
            // The client is spoken to in the proxy's version, whatever the origin speaks.
            head.version = .http1_1
            client.write(NIOAny(Part.head(head)), promise: nil)
        case .body(let part):
            client.write(NIOAny(Part.body(.byteBuffer(part))), promise: nil)
        case .end:
            isComplete = true
            client.writeAndFlush(NIOAny(Part.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isComplete { client.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        guard client.channel.isWritable else {
            readIsHeldBack = true
            return
        }
        context.read()
    }

    /// The client takes more again.
    func resume() {
        guard readIsHeldBack, client.channel.isWritable else { return }
        readIsHeldBack = false
        origin?.read()
    }

    /// The client is gone.
    func abandon() {
        isAbandoned = true
        origin?.close(promise: nil)
    }
}
