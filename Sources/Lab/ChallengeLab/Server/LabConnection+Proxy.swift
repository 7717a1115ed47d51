// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// A proxy's ways to an origin.
extension LabConnection {
    /// Sends the head of a request to a port of loopback, and what comes back to the client; the body follows.
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

    /// Ties the client's connection to a port of loopback.
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

    /// Takes HTTP off the client's channel and ties it to the origin's.
    private func join(_ origin: any Channel, context: ChannelHandlerContext) {
        let client = context.channel
        // A client that has just closed its connection sends no second event.
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
