// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOCore
import NIOPosix
import NIOSSL

/// The connection over which two peers agree on keys.
typealias ControlChannel = NIOAsyncChannel<ControlMessage, ControlMessage>

/// Connects to a peer, or takes connections of peers.
enum ControlConnection {
    private static let patience = TimeAmount.seconds(10)
    /// Connections that wait to be accepted, of which most are made by strangers.
    private static let backlog: Int32 = 64

    /// Connects to a peer; the certificate is evaluated with the first message.
    static func connect(
        to host: String, port: Int, _ tls: ControlTLS, _ presented: ControlTLS.Presented
    ) async throws -> ControlChannel {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(patience)
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(try tls.clientHandler(for: host, presented))
                        return try wrap(channel)
                    }
                }
        } catch let error as NIOConnectionError {
            if error.connectionErrors.isEmpty { throw TunnelError.unknownHost(host) }
            throw TunnelError.noAnswer("\(host) port \(port)")
        }
    }

    /// Listens for peers.
    static func listen(
        at host: String?, port: Int, _ tls: ControlTLS
    ) async throws -> NIOAsyncChannel<(ControlChannel, ControlTLS.Presented), Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        func bind(_ host: String) async throws -> NIOAsyncChannel<(ControlChannel, ControlTLS.Presented), Never> {
            try await bootstrap.bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let presented = ControlTLS.Presented()
                    let address = channel.remoteAddress?.ipAddress ?? "the peer"
                    try channel.pipeline.syncOperations.addHandler(tls.serverHandler(for: address, presented))
                    return (try wrap(channel), presented)
                }
            }
        }
        do {
            if let host { return try await bind(host) }
            do {
                return try await bind("::")
            } catch let error as IOError where error.errnoCode != EADDRINUSE {
                // IPv6 is switched off.
                return try await bind("0.0.0.0")
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw TunnelError.portInUse(UInt16(clamping: port))
        }
    }

    private static func wrap(_ channel: any Channel) throws -> ControlChannel {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(ByteToMessageHandler(ControlFraming()))
        try operations.addHandler(MessageToByteHandler(ControlFraming()))
        return try ControlChannel(wrappingChannelSynchronously: channel)
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
