// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// A forward proxy to loopback destinations only, so that a lab is not an open relay.
enum LabProxy {
    private static let hopByHop: Set<String> = [
        "connection", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive", "te", "trailer",
        "upgrade", "transfer-encoding", "content-length",
    ]

    static func reply(to request: LabRequest) -> LabReply {
        let isTunnel = request.head.method == .connect
        guard let destination = Destination(request.target, isTunnel: isTunnel) else {
            return .text("This proxy requires an absolute http URL, or CONNECT.\n", status: .badRequest)
        }
        guard ["localhost", "127.0.0.1"].contains(destination.host) else {
            return .text("This proxy connects only to loopback.\n", status: .forbidden)
        }
        guard !isTunnel else { return .tunnel(port: destination.port) }
        return .forward(head(of: request.head, to: destination), port: destination.port)
    }

    /// Returns the request for the origin, in origin-form and without the fields for the proxy (RFC 9112
    /// section 3.2.2).
    private static func head(of request: HTTPRequest, to destination: Destination) -> HTTPRequestHead {
        var headers: HTTPHeaders = ["host": destination.authority]
        for field in request.headerFields where !hopByHop.contains(field.name.canonicalName) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if let length = request.headerFields[.contentLength] { headers.add(name: "content-length", value: length) }
        headers.add(name: "connection", value: "close")
        let method = HTTPMethod(rawValue: request.method.rawValue)
        return HTTPRequestHead(version: .http1_1, method: method, uri: destination.target, headers: headers)
    }

    private struct Destination {
        let authority: String
        let host: String
        let port: Int
        let target: String

        init?(_ text: String, isTunnel: Bool) {
            var rest = text[...]
            if !isTunnel {
                guard rest.lowercased().hasPrefix("http://") else { return nil }
                rest = rest.dropFirst("http://".count)
            }
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            let path = String(rest.dropFirst(authority.count))
            let parts = authority.split(separator: ":")
            guard let host = parts.first, parts.count <= 2 else { return nil }
            guard let port = parts.count == 2 ? Int(parts[1]) : (isTunnel ? nil : 80), (1...65_535).contains(port)
            else { return nil }
            self.authority = String(authority)
            self.host = host.lowercased()
            self.port = port
            target = path.hasPrefix("/") ? path : "/" + path
        }
    }
}

/// The proxy's connections to origins.
extension LabConnection {
    /// Forwards a request to a loopback port, and the response to the client.
    ///
    /// The body follows separately.
    func forward(_ head: HTTPRequestHead, to port: Int, context: ChannelHandlerContext) {
        let handler = ForwardHandler(client: context, head: head) { [unowned self] in resumeReading(context: context) }
        forwarding = handler
        let bound = NIOLoopBound((connection: self, context: context, handler: handler), eventLoop: context.eventLoop)
        let connections = connections
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { origin in
                connections.insert(origin)
                return origin.eventLoop.makeCompletedFuture { try bound.value.handler.addHandlers(to: origin) }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenFailure { _ in
                bound.value.handler.abandon()
                bound.value.connection.refuseToForward(context: bound.value.context)
            }
    }

    private func refuseToForward(context: ChannelHandlerContext) {
        guard let request else { return }
        write(.text("The origin cannot be reached.\n", status: .badGateway), to: request, context: context)
    }

    /// Opens a tunnel between the client's connection and a loopback port.
    func openTunnel(to port: Int, context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let connections = connections
        ClientBootstrap(group: context.eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                let (handler, context) = bound.value
                switch result {
                case .failure:
                    handler.refuseToForward(context: context)
                case .success(let origin):
                    connections.insert(origin)
                    handler.join(origin, context: context)
                }
            }
    }

    /// Removes HTTP from the client's channel and joins it with the origin's channel.
    private func join(_ origin: any Channel, context: ChannelHandlerContext) {
        let client = context.channel
        // A client that has just closed its connection causes no second inactive event.
        guard client.isActive else { return origin.close(promise: nil) }
        let pipeline = context.pipeline.syncOperations
        do {
            let (near, far) = RelayHandler.pair()
            try origin.pipeline.syncOperations.addHandler(far)
            try pipeline.addHandler(near)
        } catch {
            origin.close(promise: nil)
            return context.close(promise: nil)
        }
        let removals = Self.names.reversed().map { client.pipeline.removeHandler(name: $0) }
        EventLoopFuture.andAllComplete(removals, on: context.eventLoop).whenComplete { _ in
            client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"), promise: nil)
            _ = origin.setOption(.autoRead, value: true)
        }
    }
}

/// A handler that relays the bytes of one channel to another, with backpressure.
final class RelayHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var partner: RelayHandler?
    private var context: ChannelHandlerContext?
    private var isReadPending = false

    /// Returns two connected handlers for two channels with the same event loop.
    static func pair() -> (RelayHandler, RelayHandler) {
        let (first, second) = (RelayHandler(), RelayHandler())
        first.partner = second
        second.partner = first
        return (first, second)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        partner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner?.context?.write(NIOAny(unwrapInboundIn(data)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        partner?.context?.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner?.context?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        partner?.resumeReading()
    }

    func read(context: ChannelHandlerContext) {
        guard partner?.context?.channel.isWritable != false else {
            isReadPending = true
            return
        }
        context.read()
    }

    private func resumeReading() {
        guard isReadPending else { return }
        isReadPending = false
        context?.read()
    }
}
