// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
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

    /// How many connections are open now.
    var openConnectionCount: Int { connections.count }

    /// What an open connection has received, by the port of its client.
    func receipt(fromClientPort port: Int) -> ConnectionReceipt? { connections.receipt(fromClientPort: port) }

    static func start(_ kind: LabServer.Kind, certificates: LabCertificates) async throws -> LabListener {
        if let gate = kind.socksGate { return try await startSOCKS(behind: gate) }
        return try await start(
            try service(kind, certificates: certificates),
            tls: kind.usesTLS ? try LabTLS.context(for: kind, certificates: certificates) : nil)
    }

    /// Starts to serve; the witness is told of what arrives, on the wire and decrypted.
    static func start(
        _ service: LabService, tls: NIOSSLContext?, before witness: ByteWitness? = nil
    ) async throws -> LabListener {
        try await start(service) { channel, attendant, connections in
            let pipeline = channel.pipeline.syncOperations
            if let witness { try pipeline.addHandler(witness.handler(at: .wire, of: attendant.connection)) }
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            if let witness { try pipeline.addHandler(witness.handler(at: .content, of: attendant.connection)) }
            try LabConnection.addHandlers(to: channel, attendant: attendant, connections: connections)
        }
    }

    /// Starts a proxy of SOCKS; the witness is told of what arrives, that for destinations included.
    static func startSOCKS(behind gate: SOCKSGate, before witness: ByteWitness? = nil) async throws -> LabListener {
        let service = LabService(role: .proxy, isSecure: false) { _, _ in .silence }
        return try await start(service) { channel, attendant, connections in
            let pipeline = channel.pipeline.syncOperations
            for layer in [ByteWitness.Layer.wire, .content] {
                if let witness { try pipeline.addHandler(witness.handler(at: layer, of: attendant.connection)) }
            }
            try SOCKSConnection.addHandlers(to: channel, behind: gate, service: service, connections: connections)
        }
    }

    private static func start(
        _ service: LabService,
        addHandlers: @escaping @Sendable (any Channel, LabAttendant, ConnectionSet) throws -> Void
    ) async throws -> LabListener {
        let connections = ConnectionSet()
        let channel = try await bind { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                try connections.recordReceipts(of: channel)
                try addHandlers(channel, service.attendant(), connections)
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
            return .proxy(isSecure: kind.usesTLS, gate: gate)
        }
        return LabService(isSecure: kind.usesTLS, gate: gate) { request, _ in resources.reply(to: request) }
    }

    /// Listens on 127.0.0.1 at a free port.
    static func bind(
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
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
