// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
import NIOConcurrencyHelpers
public import NIOCore
public import NIOPosix
import NIOSSL

/// A loopback server that shows one fault on every connection, until ``respondCorrectly()`` is called.
public struct FaultServer: Sendable {
    /// The size of the send buffer in bytes.
    ///
    /// It is small, so that the server sends little more than the client reads.
    private static let sendBuffer: ChannelOptions.Types.SocketOption.Value = 64 * 1024

    /// The port on 127.0.0.1.
    public let port: Int

    private let channel: any Channel
    private let connections: ConnectionSet
    private let tally: Tally

    private struct Tally {
        let fault: NIOLockedValueBox<Fault>
        let sent = NIOLockedValueBox(0)
        let accepted = NIOLockedValueBox(0)
    }

    /// Starts a server on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - identity: The TLS identity of the server, which negotiates the fault's protocol by ALPN; `nil` for no TLS.
    ///   - group: The threads of the server; by default the shared ones of the process.
    /// - Returns: The listening server.
    /// - Throws: ``LabError/cannotListen(_:code:)``, ``LabError/noPort``, and errors of swift-asn1 and swift-nio-ssl
    ///   for an identity that cannot be used.
    public static func start(
        _ fault: Fault, presenting identity: Identity? = nil,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> FaultServer {
        let (connections, tally) = (ConnectionSet(), Tally(fault: NIOLockedValueBox(fault)))
        let tls = try identity.map { try context(presenting: $0, isHTTP2: fault.isHTTP2) }
        let channel = try await LabListener.bind(on: group) { channel in
            connections.insert(channel)
            tally.accepted.withLockedValue { $0 += 1 }
            return channel.setOption(.socketOption(.so_sndbuf), value: sendBuffer).flatMapThrowing {
                let pipeline = channel.pipeline.syncOperations
                if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                let handler = FaultHandler(fault: { tally.fault.withLockedValue { $0 } }, sent: tally.sent)
                try pipeline.addHandler(handler)
            }
        }
        guard let port = channel.localAddress?.port else {
            try? await channel.close()
            throw LabError.noPort
        }
        return FaultServer(port: port, channel: channel, connections: connections, tally: tally)
    }

    private static func context(presenting identity: Identity, isHTTP2: Bool) throws -> NIOSSLContext {
        var configuration = try LabTLS.configuration(presenting: identity)
        configuration.applicationProtocols = [isHTTP2 ? "h2" : "http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    /// Makes the server respond correctly to all further requests, in the same protocol.
    public func respondCorrectly() {
        tally.fault.withLockedValue { $0 = $0.isHTTP2 ? .noneOfHTTP2 : .none }
    }

    /// Changes the fault for all further requests.
    ///
    /// - Parameter fault: A fault of the same protocol. Its cue and opening have no effect on open connections.
    public func change(to fault: Fault) {
        tally.fault.withLockedValue { $0 = fault }
    }

    /// The number of bytes that the server has sent, including those in the system's buffers.
    public var sentByteCount: Int { tally.sent.withLockedValue { $0 } }

    /// The number of connections that the server has accepted.
    public var connectionCount: Int { tally.accepted.withLockedValue { $0 } }

    /// The number of open connections.
    public var openConnectionCount: Int { connections.count }

    /// Stops the server, and returns when the listener and every connection is closed.
    public func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}
