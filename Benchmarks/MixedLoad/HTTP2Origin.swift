// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// An HTTP/2 server on loopback that sometimes refuses requests or closes connections.
final class HTTP2Origin: Sendable {
    let port: Int
    private let channel: any Channel
    private let connections: NIOLockedValueBox<[ObjectIdentifier: any Channel]>

    private init(port: Int, channel: any Channel, connections: NIOLockedValueBox<[ObjectIdentifier: any Channel]>) {
        (self.port, self.channel, self.connections) = (port, channel, connections)
    }

    var url: String { "https://localhost:\(port)/" }

    /// The number of open connections.
    var openConnectionCount: Int { connections.withLockedValue(\.count) }

    static func start(presenting identity: Identity) async throws -> HTTP2Origin {
        let connections = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])
        let (tls, requests) = (try context(presenting: identity), NIOLockedValueBox(0))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                connections.withLockedValue { $0[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    connections.withLockedValue { $0[ObjectIdentifier(channel)] = nil }
                }
                return channel.eventLoop.makeCompletedFuture {
                    let handler = NIOHTTP2Handler(
                        mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(HTTP2Responder(requests: requests))
                        }
                    }
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: tls), handler, HTTP2End())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return HTTP2Origin(port: channel.localAddress?.port ?? 0, channel: channel, connections: connections)
    }

    private static func context(presenting identity: Identity) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.chain.map {
                .certificate(try NIOSSLCertificate(bytes: $0.serializeAsPEM().derBytes, format: .der))
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: identity.privateKey.serializeAsPEM().derBytes, format: .der)))
        configuration.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: configuration)
    }

    func stop() async {
        try? await channel.close()
        for connection in connections.withLockedValue({ Array($0.values) }) {
            connection.close(promise: nil)
            try? await connection.closeFuture.get()
        }
    }
}

/// A channel handler that ignores connection errors, because the client reports them.
private final class HTTP2End: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
