// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// A client that makes one request on each connection.
struct BenchClient: Sendable {
    private let tls: ClientTLS
    private let group: any EventLoopGroup
    private let port: Int

    init(_ tls: ClientTLS, _ group: any EventLoopGroup, port: Int) {
        (self.tls, self.group, self.port) = (tls, group, port)
    }

    /// Connects, makes a request, and waits until the server has closed the connection.
    func connect() async throws {
        let channel = try await open(closes: true)
        try await channel.closeFuture.get()
    }

    /// Opens a connection, and waits for the response to a request.
    ///
    /// - Parameter closes: Whether the server closes the connection after the response.
    /// - Returns: The channel.
    /// - Throws: An error of the connection.
    func open(closes: Bool) async throws -> any Channel {
        let response = group.next().makePromise(of: Void.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group)
                .channelInitializer { [tls] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try tls.add(to: channel)
                        try channel.pipeline.syncOperations.addHandler(RequestHandler(response, closes: closes))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            response.fail(error)
            throw error
        }
        try await response.futureResult.get()
        return channel
    }
}

/// Sends a request, and completes a promise when the body of the response has arrived.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The length of the body of `/small`, in bytes.
    private static let bodyLength = 1_024

    private let response: EventLoopPromise<Void>
    private let closes: Bool
    private var received = ByteBuffer()

    init(_ response: EventLoopPromise<Void>, closes: Bool) {
        (self.response, self.closes) = (response, closes)
    }

    func channelActive(context: ChannelHandlerContext) {
        let request = "GET /small HTTP/1.1\r\nHost: localhost\r\n\(closes ? "Connection: close\r\n" : "")\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        let bytes = received.readableBytesView
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            bytes.distance(from: head.upperBound, to: bytes.endIndex) >= Self.bodyLength
        else { return }
        received = ByteBuffer()
        response.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        response.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { response.fail(ChannelError.eof) }
}
