// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOCore
import NIOPosix
import NIOSSL
import ServerConnections

/// Connects to a peer, or accepts connections from peers.
enum ControlConnection {
    private static let connectTimeout = TimeAmount.seconds(10)
    /// The maximum number of pending connections, most of which come from unauthenticated clients.
    private static let backlog: Int32 = 64
    private static let maximumConnections = 1024

    /// Connects to a peer, trying the addresses of its host name (RFC 8305); the certificate is evaluated with the
    /// first message.
    static func connect(
        to host: String, port: Int, _ tls: ControlTLS, _ presented: ControlTLS.Presented
    ) async throws -> ControlChannel {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(connectTimeout)
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(try tls.clientHandler(for: host, presented))
                        return try ControlChannel(channel)
                    }
                }
        } catch let error as NIOConnectionError {
            if error.connectionErrors.isEmpty { throw TunnelError.unknownHost(host) }
            throw TunnelError.noAnswer("\(host) port \(port)")
        }
    }

    /// Listens for connections from peers.
    ///
    /// - Parameters:
    ///   - host: The local address; `nil` for all IPv4 and IPv6 addresses.
    ///   - port: The port.
    ///   - tls: The TLS configuration with the certificates of both sides.
    /// - Returns: The listener, which the caller closes.
    /// - Throws: ``TunnelError/portInUse(_:)``, and other system errors.
    static func listen(at host: String?, port: Int, _ tls: ControlTLS) async throws -> ControlListener {
        let (connections, continuation) = AsyncStream.makeStream(
            of: ControlListener.Connection.self, bufferingPolicy: .bufferingOldest(Int(backlog)))
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionAcceptance(maximum: maximumConnections))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let presented = ControlTLS.Presented()
                    let address = channel.remoteAddress?.peerText ?? "the peer"
                    try channel.pipeline.syncOperations.addHandler(tls.serverHandler(for: address, presented))
                    let connection = (channel: try ControlChannel(channel), presented: presented)
                    // The error closes the connection, because the listener is closing or too many connections are
                    // pending.
                    guard case .enqueued = continuation.yield(connection) else { throw ChannelError.ioOnClosedChannel }
                }
            }
        let channel = try await bind(bootstrap, host, port)
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        return ControlListener(channel: channel, connections: connections)
    }

    private static func bind(
        _ bootstrap: ServerBootstrap, _ host: String?, _ port: Int
    ) async throws -> any Channel {
        do {
            if let host { return try await bootstrap.bind(host: host, port: port).get() }
            do {
                return try await bootstrap.bind(host: "::", port: port).get()
            } catch let error as IOError where error.errnoCode != EADDRINUSE {
                // IPv6 is disabled.
                return try await bootstrap.bind(host: "0.0.0.0", port: port).get()
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw TunnelError.portInUse(UInt16(clamping: port))
        } catch {
            throw TunnelError.system("listen at \(host ?? "every address"), port \(port)", "\(error)")
        }
    }
}

/// A listening socket for peers.
struct ControlListener: Sendable {
    typealias Connection = (channel: ControlChannel, presented: ControlTLS.Presented)

    let channel: any Channel
    /// The connections, which the reader must close.
    ///
    /// The stream ends when the socket closes or the reading task is cancelled; pending connections are still
    /// delivered.
    let connections: AsyncStream<Connection>

    /// Stops accepting connections.
    func close() async { try? await channel.close() }
}

extension SocketAddress {
    /// The address of a peer as text; an IPv4-mapped address such as `::ffff:192.0.2.1` is shown as `192.0.2.1`.
    var peerText: String? {
        guard let text = ipAddress else { return nil }
        let prefix = "::ffff:"
        return text.hasPrefix(prefix) && text.contains(".") ? String(text.dropFirst(prefix.count)) : text
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
