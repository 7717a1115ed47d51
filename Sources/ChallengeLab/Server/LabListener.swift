// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// A listening socket and the connections that it accepted.
final class LabListener: Sendable {
    private let channel: any Channel
    private let connections: ConnectionSet
    private let service: LabService

    let port: Int
    var requestCount: Int { service.requestCount }
    var connectionCount: Int { service.connectionCount }

    private init(channel: any Channel, port: Int, connections: ConnectionSet, service: LabService) {
        self.channel = channel
        self.port = port
        self.connections = connections
        self.service = service
    }

    static func start(_ kind: LabServer.Kind, certificates: LabCertificates) async throws -> LabListener {
        let tls = kind.usesTLS ? try LabTLS.context(for: kind, certificates: certificates) : nil
        let service = try service(kind, certificates: certificates)
        let connections = ConnectionSet()
        let channel = try await bind { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                }
                try LabConnection.addHandlers(to: channel, service: service, connections: connections)
            }
        }
        guard let port = channel.localAddress?.port else {
            try await channel.close()
            throw LabError.noPort
        }
        return LabListener(channel: channel, port: port, connections: connections, service: service)
    }

    private static func service(_ kind: LabServer.Kind, certificates: LabCertificates) throws -> LabService {
        let resources = LabResources(rootPEM: try certificates.root.serializeAsPEM())
        let gate = try kind.gate(certificate: certificates.identity(of: kind).certificate)
        guard !kind.isProxy else {
            return LabService(role: .proxy, isSecure: kind.usesTLS, gate: gate) { request, _ in
                LabProxy.reply(to: request)
            }
        }
        return LabService(isSecure: kind.usesTLS, gate: gate) { request, _ in resources.reply(to: request) }
    }

    /// Listens on 127.0.0.1 at a free port.
    static func bind(
        _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer(initialize)
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}
