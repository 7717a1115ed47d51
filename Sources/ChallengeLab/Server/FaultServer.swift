// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
import NIOConcurrencyHelpers
public import NIOCore
public import NIOPosix
import NIOSSL

/// A server on loopback that answers every connection with one fault, until it behaves.
public struct FaultServer: Sendable {
    /// Small, so that what is sent is little more than what the client has taken; in bytes.
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
    ///   - identity: What it presents, where it speaks TLS; the protocol that it agrees on is the fault's.
    ///   - group: Whose threads it keeps busy; by default those that everything shares.
    /// - Returns: The server, listening.
    /// - Throws: What binding a socket throws, and what an identity that cannot be used throws.
    public static func start(
        _ fault: Fault, presenting identity: Identity? = nil,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> FaultServer {
        let (connections, tally) = (ConnectionSet(), Tally(fault: NIOLockedValueBox(fault)))
        let tls = try identity.map { try context(presenting: $0, speaksHTTP2: fault.speaksHTTP2) }
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
        guard let port = channel.localAddress?.port else { throw LabError.noPort }
        return FaultServer(port: port, channel: channel, connections: connections, tally: tally)
    }

    private static func context(presenting identity: Identity, speaksHTTP2: Bool) throws -> NIOSSLContext {
        var configuration = try LabTLS.configuration(presenting: identity)
        configuration.applicationProtocols = [speaksHTTP2 ? "h2" : "http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    /// Answers from the next request on as it should, in the same protocol.
    public func behave() {
        tally.fault.withLockedValue { $0 = $0.speaksHTTP2 ? .noneOfHTTP2 : .none }
    }

    /// Does something else from the next request on, in the same protocol.
    public func change(to fault: Fault) {
        tally.fault.withLockedValue { $0 = fault }
    }

    /// How many bytes were taken off its hands: what the clients have read and what the system holds for them.
    public var sentByteCount: Int { tally.sent.withLockedValue { $0 } }

    /// How many connections it has accepted.
    public var connectionCount: Int { tally.accepted.withLockedValue { $0 } }

    /// How many of them are open now.
    public var openConnectionCount: Int { connections.count }

    /// Closes the listener and every connection.
    public func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}
