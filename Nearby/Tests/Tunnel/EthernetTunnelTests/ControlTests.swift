// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Glibc
import Identities
import NIOCore
import NIOPosix
import Testing

@testable import EthernetTunnel

/// A reserved port at 127.0.0.1 that the system assigns to no other program, even while no listener of the test uses
/// it.
///
/// Otherwise the peers of a closed listener could reach the server of another test, which may not close their
/// connections.
private struct HeldPort: ~Copyable {
    let number: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (on, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
        // With this option the listener can also bind the port, because this socket does not listen.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let isBound = withUnsafeMutableBytes(of: &address) { [descriptor] bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, length) == 0 && getsockname(descriptor, $0.baseAddress, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound)
    }

    deinit { close(descriptor) }
}

@Suite struct ControlTests {
    private func tls(_ profile: LeafProfile, _ authority: CertificateAuthority) throws -> ControlTLS {
        let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UInt64.random(in: .min ... .max)).pem")
        try Data(try CertificateFile.pem([authority.root])).write(to: file)
        return try ControlTLS(try authority.issue(profile, now: Date()), trust: TunnelTrust(authorities: [file.path]))
    }

    /// Connects several times in sequence, and waits each time until the other side has closed the connection, whether
    /// it was accepted or pending.
    ///
    /// The function uses only the event loop: a task would be scheduled twice for each connection, after computing
    /// tests.
    ///
    /// - Returns: The number of opened connections.
    private static func connect(
        _ times: Int, to address: SocketAddress, on loop: any EventLoop
    ) -> EventLoopFuture<Int> {
        guard times > 0 else { return loop.makeSucceededFuture(0) }
        return ClientBootstrap(group: loop).connect(to: address).flatMap { channel in
            // Every peer sends data. If a listener closes during the last step of a handshake, Linux does not reset the
            // connection until data is sent.
            channel.writeAndFlush(ByteBuffer(bytes: [0x16]), promise: nil)
            return channel.closeFuture.map { 1 }
        }
        .flatMapError { _ in loop.makeSucceededFuture(0) }
        .flatMap { opened in connect(times - 1, to: address, on: loop).map { $0 + opened } }
    }

    @Test("A listener can close while peers connect, and leaves no connection open", .timeLimit(.minutes(2)))
    func endWhileConnecting() async throws {
        let authority = try CertificateAuthority(name: "Control CA", now: Date())
        let tls = try tls(.server(names: ["127.0.0.1"]), authority)
        var opened = 0
        for round in 0..<40 {
            let held = try HeldPort()
            let listener = try await ControlConnection.listen(at: "127.0.0.1", port: held.number, tls)
            let address = try #require(listener.channel.localAddress)
            let peers = (0..<4).map { _ in
                Self.connect(25, to: address, on: MultiThreadedEventLoopGroup.singleton.next())
            }
            let reader = Task {
                for await (channel, _) in listener.connections { await channel.close() }
            }
            try await Task.sleep(for: .microseconds(200 * round))
            reader.cancel()
            await reader.value
            await listener.close()
            for peer in peers { opened += try await peer.get() }
            // The port is reserved until this point.
            _ = consume held
        }
        #expect(opened > 40)
    }

    @Test("A peer that sends messages faster than they are read is disconnected")
    func flood() async throws {
        let authority = try CertificateAuthority(name: "Control CA", now: Date())
        let (server, client) = (
            try tls(.server(names: ["127.0.0.1"]), authority), try tls(.client(name: "me"), authority)
        )
        let listener = try await ControlConnection.listen(at: "127.0.0.1", port: 0, server)
        let port = try #require(listener.channel.localAddress?.port)
        let peer = try await ControlConnection.connect(to: "127.0.0.1", port: port, client, ControlTLS.Presented())
        var connections = listener.connections.makeAsyncIterator()
        let taken = try #require(await connections.next())
        while (try? peer.send(.alive)) != nil { try await Task.sleep(for: .microseconds(100)) }
        var count = 0
        await #expect(throws: TunnelError.self) { for try await _ in taken.channel.messages { count += 1 } }
        #expect(count == 32)
        await peer.close()
        await listener.close()
    }
}
