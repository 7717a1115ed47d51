// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import Foundation
import Identities
import NIOCore
import NIOPosix
import Testing

@testable import EthernetTunnel

@Suite struct ControlTests {
    private func tls(_ profile: LeafProfile, _ authority: CertificateAuthority) throws -> ControlTLS {
        let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UInt64.random(in: .min ... .max)).pem")
        try Data(try CertificateFile.pem([authority.root])).write(to: file)
        return try ControlTLS(try authority.issue(profile, now: Date()), trust: TunnelTrust(authorities: [file.path]))
    }

    @Test("A listener may end while others connect, and leaves no connection open", .timeLimit(.minutes(2)))
    func endWhileConnecting() async throws {
        let authority = try CertificateAuthority(name: "Control CA", now: Date())
        let tls = try tls(.server(names: ["127.0.0.1"]), authority)
        var opened = 0
        for round in 0..<40 {
            let listener = try await ControlConnection.listen(at: "127.0.0.1", port: 0, tls)
            let port = try #require(listener.channel.localAddress?.port)
            opened += try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var count = 0
                        for _ in 0..<25 {
                            let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                                .connect(host: "127.0.0.1", port: port).get()
                            guard let channel else { continue }
                            count += 1
                            // As every peer does. Linux does not reset a connection whose listener ends at the last step of the handshake
                            // until something is sent on it.
                            channel.writeAndFlush(ByteBuffer(bytes: [0x16]), promise: nil)
                            // The other side closes it, whether it was taken or waited.
                            try await channel.closeFuture.get()
                        }
                        return count
                    }
                }
                let reader = Task {
                    for await (channel, _) in listener.connections { await channel.close() }
                }
                try await Task.sleep(for: .microseconds(200 * round))
                reader.cancel()
                await reader.value
                await listener.close()
                return try await group.reduce(0, +)
            }
        }
        #expect(opened > 40)
    }

    @Test("A peer that sends more messages than are read is cut off")
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
