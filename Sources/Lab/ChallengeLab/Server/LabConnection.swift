// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import ServerConnections

/// A handler for one accepted connection, which reads requests and writes the responses of the service.
final class LabConnection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    private static let decoder = "lab.decoder"
    static let names = ["lab.encoder", decoder, "lab.rules", "lab.pipelining", "lab.connection"]
    private static let zeros = ByteBuffer(repeating: 0, count: 64 * 1024)

    private var requestHandler: LabRequestHandler
    let connections: ConnectionSet
    var request: LabRequest?
    private var zerosLeft = 0
    /// The response of a proxy to a request whose body is still arriving.
    private var decision: LabReply?
    var forwarding: ForwardHandler?
    private var isReadPending = false

    private init(requestHandler: LabRequestHandler, connections: ConnectionSet) {
        self.requestHandler = requestHandler
        self.connections = connections
    }

    static func addHandlers(to channel: any Channel, requestHandler: LabRequestHandler, connections: ConnectionSet)
        throws
    {
        let handlers: [any ChannelHandler] = [
            HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
            HTTPServerConnection(),
            HTTPServerPipelineHandler(),
            LabConnection(requestHandler: requestHandler, connections: connections),
        ]
        for (name, handler) in zip(names, handlers) {
            try channel.pipeline.syncOperations.addHandler(handler, name: name)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let service = requestHandler.service
            request = try? LabRequest(head, isSecure: service.isSecure, body: service.newBody())
            forwarding = nil
            decision = nil
            if service.role == .proxy, service.needsOnlyHeads { decide(context: context) }
        case .body(let part):
            if let forwarding { forwarding.send(part) } else { request?.body.append(part) }
        case .end:
            if let forwarding { return forwarding.finish() }
            guard let request else { return context.close(promise: nil) }
            write(decision ?? requestHandler.reply(to: request), to: request, context: context)
        }
    }

    /// Determines the response before the body arrives, so that the body can be forwarded while it arrives.
    private func decide(context: ChannelHandlerContext) {
        guard let request else { return }
        let reply = requestHandler.reply(to: request)
        if case .forward(let head, let port) = reply {
            forward(head, to: port, context: context)
        } else {
            decision = reply
        }
    }

    func read(context: ChannelHandlerContext) {
        isReadPending = forwarding?.isFull ?? false
        if !isReadPending { context.read() }
    }

    /// Resumes reading when the origin can receive more of the body.
    func resumeReading(context: ChannelHandlerContext) {
        guard isReadPending else { return }
        context.channel.pipeline.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        forwarding?.abandon()
        forwarding = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func write(_ reply: LabReply, to request: LabRequest, context: ChannelHandlerContext) {
        switch reply {
        case .message(var response, let bytes):
            if response.headerFields[.transferEncoding] == nil {
                response.headerFields[.contentLength] = String(bytes.count)
            }
            send(response, request.head.method == .head ? [] : bytes, context: context)
            if request.head.method == .connect { replaceDecoder(context: context) }
        case .zeros(let count, let isChunked):
            var response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/octet-stream"])
            if !isChunked { response.headerFields[.contentLength] = String(count) }
            context.write(wrapOutboundOut(.head(HTTPResponseHead(response))), promise: nil)
            zerosLeft = request.head.method == .head ? 0 : count
            sendZeros(context: context, isLast: zerosLeft == 0)
        case .drip(let bytes, let pieces, let pause):
            drip(bytes, pieces: pieces, pause: pause, context: context)
        case .truncated(let promised, let sent):
            let fields: HTTPFields = [.contentLength: String(promised)]
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(HTTPResponse(status: .ok, headerFields: fields)))), promise: nil)
            let half = ByteBuffer(repeating: 0x2E, count: sent)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(half))), promise: nil)
            context.close(promise: nil)
        case .silence:
            break
        case .fault(let fault):
            perform(fault, context: context)
        case .tunnel(let port):
            openTunnel(to: port, context: context)
        case .forward(let head, let port):
            forward(head, to: port, context: context)
            forwarding?.send(request.body.bytes)
            forwarding?.finish()
        }
    }

    private func send(_ response: HTTPResponse, _ bytes: [UInt8], context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(HTTPResponseHead(response))), promise: nil)
        if !bytes.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if response.headerFields[.connection] == "close" { context.close(promise: nil) }
    }

    /// Hands the connection over to a fault, which reads and writes below HTTP.
    private func perform(_ fault: Fault, context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let lowest = try pipeline.context(name: Self.names[0])
            try pipeline.addHandler(
                FaultHandler(fault: { fault }, isTriggered: true), position: .before(lowest.handler))
        } catch {
            context.close(promise: nil)
        }
    }

    /// Replaces the request decoder, because NIO's decoder stops reading after a CONNECT request.
    ///
    /// The bytes that the old decoder has buffered reach the new one when the old one is removed.
    private func replaceDecoder(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let old = try pipeline.context(name: Self.decoder)
            let new = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            try pipeline.addHandler(new, name: Self.decoder, position: .after(old.handler))
            pipeline.removeHandler(context: old, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    // MARK: Large and slow bodies

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if zerosLeft > 0 { sendZeros(context: context, isLast: false) }
        forwarding?.resume()
        context.fireChannelWritabilityChanged()
    }

    /// Writes zeros while the socket is writable, and ends the response after the last byte.
    private func sendZeros(context: ChannelHandlerContext, isLast: Bool) {
        var isLast = isLast
        while zerosLeft > 0, context.channel.isWritable {
            let count = min(zerosLeft, Self.zeros.readableBytes)
            zerosLeft -= count
            isLast = zerosLeft == 0
            guard let part = Self.zeros.getSlice(at: 0, length: count) else { return }
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
        }
        if isLast { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    }

    private func drip(_ bytes: [UInt8], pieces: Int, pause: TimeAmount, context: ChannelHandlerContext) {
        let fields: HTTPFields = [.contentLength: String(bytes.count), .contentType: "text/plain"]
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(HTTPResponse(status: .ok, headerFields: fields)))), promise: nil)
        let size = (bytes.count + pieces - 1) / pieces
        let loop = context.eventLoop
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: loop)
        for piece in 0..<pieces {
            let part = ByteBuffer(bytes: bytes.dropFirst(piece * size).prefix(size))
            loop.scheduleTask(in: pause * (piece + 1)) {
                let (handler, context) = bound.value
                context.writeAndFlush(handler.wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
                if piece == pieces - 1 { context.writeAndFlush(handler.wrapOutboundOut(.end(nil)), promise: nil) }
            }
        }
    }
}
