// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOCore
import NIOHTTP1
import NIOPosix
import ServerConnections
import SwiftASN1
import X509

/// A listening socket and its accepted connections.
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

    /// The number of open connections.
    var openConnectionCount: Int { connections.count }

    /// Returns the amount and time of the data received on an open connection, by client port.
    func receipt(fromClientPort port: Int) -> ConnectionReceipt? { connections.receipt(fromClientPort: port) }

    static func start(
        _ kind: LabServer.Kind, certificates: LabCertificates, directory: LabDirectory
    ) async throws -> LabListener {
        let address = certificates.reach.address
        if let gate = kind.socksGate { return try await startSOCKS(behind: gate) }
        if let fault = kind.fault { return try await start(doing: fault, on: address) }
        let identity = try await kind.tls?.chain(certificates) ?? certificates.good
        let gate = try kind.gate(LabServer.Kind.Site(certificate: identity.certificate, names: certificates.names))
        var tls: LabTLS?
        if let plan = kind.tls { tls = try await LabTLS(for: plan, presenting: identity, certificates: certificates) }
        guard kind.role == .origin else { return try await start(.proxy(isSecure: tls != nil, gate: gate), tls: tls) }
        let resources = LabResources(
            rootPEM: try certificates.rootPEM, isFrontPage: kind == .plainHTTP,
            directory: directory)
        let service = LabService(isSecure: tls != nil, gate: gate) { request, _ in resources.reply(to: request) }
        return try await start(service, tls: tls, on: address)
    }

    /// Starts a server.
    ///
    /// The observer gets the received bytes, both before and after decryption.
    static func start(
        _ service: LabService, tls: LabTLS?, before observer: ByteObserver? = nil,
        on address: String = LabReach.loopback.address
    ) async throws -> LabListener {
        try await start(service, on: address) { channel, requestHandler, connections in
            let pipeline = channel.pipeline.syncOperations
            if let observer { try pipeline.addHandler(observer.handler(at: .wire, of: requestHandler.connection)) }
            if let tls { try pipeline.addHandler(tls.handler()) }
            if let observer { try pipeline.addHandler(observer.handler(at: .content, of: requestHandler.connection)) }
            try LabConnection.addHandlers(to: channel, requestHandler: requestHandler, connections: connections)
        }
    }

    /// Starts a SOCKS proxy.
    ///
    /// The observer gets the received bytes, including those for destinations.
    static func startSOCKS(behind gate: SOCKSGate, before observer: ByteObserver? = nil) async throws -> LabListener {
        let service = LabService(role: .proxy, isSecure: false) { _, _ in .silence }
        return try await start(service) { channel, requestHandler, connections in
            let pipeline = channel.pipeline.syncOperations
            for layer in [ByteObserver.Layer.wire, .content] {
                if let observer { try pipeline.addHandler(observer.handler(at: layer, of: requestHandler.connection)) }
            }
            try SOCKSConnection.addHandlers(to: channel, behind: gate, service: service, connections: connections)
        }
    }

    /// Starts the server of the authorities' published files.
    static func start(serving publication: LabPublication, on address: String) async throws -> LabListener {
        let service = LabService(isSecure: false) { request, _ in publication.reply(to: request) }
        return try await start(service, tls: nil, on: address)
    }

    /// Starts a server that shows the same fault on every connection.
    private static func start(doing fault: Fault, on address: String) async throws -> LabListener {
        let service = LabService(role: .origin, isSecure: false) { _, _ in .silence }
        return try await start(service, on: address) { channel, _, _ in
            try channel.pipeline.syncOperations.addHandler(FaultHandler(fault: { fault }))
        }
    }

    private static func start(
        _ service: LabService, on address: String = LabReach.loopback.address,
        addHandlers: @escaping @Sendable (any Channel, LabRequestHandler, ConnectionSet) throws -> Void
    ) async throws -> LabListener {
        let connections = ConnectionSet()
        let channel = try await bind(to: address) { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                try connections.recordReceipts(of: channel)
                try addHandlers(channel, service.requestHandler(), connections)
            }
        }
        guard let port = channel.localAddress?.port else {
            try await channel.close()
            throw LabError.noPort
        }
        return LabListener(channel: channel, port: port, connections: connections, service: service)
    }

    /// The maximum number of connections of a server.
    private static let maximumConnections = 1024

    /// Binds a listening socket to a free port of an address.
    ///
    /// - Throws: ``LabError/cannotListen(_:code:)``.
    static func bind(
        to address: String = LabReach.loopback.address,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionAcceptance(maximum: maximumConnections))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer(initialize)
        do {
            return try await bootstrap.bind(host: address, port: 0).get()
        } catch let error as IOError {
            throw LabError.cannotListen(address, code: error.errnoCode)
        }
    }

    func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}
