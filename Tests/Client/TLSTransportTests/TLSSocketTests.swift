// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOCore
import NIOPosix
import TLSRecipes
import TLSServer
import TLSTransport
import Testing
import TrustRecipes
import X509

/// Tests over real sockets.
@Suite(.timeLimit(.minutes(2))) struct TLSSocketTests {
    @Test("Bodies arrive complete with and without automatic reads", arguments: TLSLibrary.available, [false, true])
    func bodies(library: TLSLibrary, readsAutomatically: Bool) async throws {
        let server = try await echoServer()
        let body = ByteBuffer(bytes: (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let client = try await SocketClient(
            to: try #require(server.localAddress), sending: body, readsAutomatically: readsAutomatically,
            settings: TLSClientSettings(serverName: "a.test", library: library))
        var echo = ByteBuffer()
        for await event in client.events {
            if case .received(let bytes) = event { echo.writeImmutableBuffer(bytes) }
            if echo.readableBytes >= body.readableBytes { client.channel.close(promise: nil) }
        }
        #expect(echo == body)
        try await server.close()
    }

    @Test(
        "A key that cannot be exported signs in a task",
        arguments: [
            (KeyType.p256, TLSProtocolVersion.tls12), (.p256, .tls13), (.p384, .tls13), (.p521, .tls13),
            (.ed25519, .tls13), (.rsa, .tls12),
        ])
    func heldKey(type: KeyType, version: TLSProtocolVersion) async throws {
        let key = try type.identity().privateKey
        let identity = try Identity.selfSigned(Certificate.PrivateKey(HeldKey(key: key)), issuerKey: key)
        let settings = TLSServerContext.Settings(
            versions: version...version, issuers: [], requiresClientCertificate: true)
        let server = try await echoServer(settings)
        let client = try await SocketClient(
            to: try #require(server.localAddress), sending: ByteBuffer(string: "echo"), identity: TLSIdentity(identity),
            settings: TLSClientSettings(serverName: "a.test"))
        var echo = ""
        for await event in client.events {
            if case .received(let bytes) = event { echo += String(buffer: bytes) }
            if echo == "echo" { client.channel.close(promise: nil) }
        }
        #expect(echo == "echo")
        try await server.close()
    }

    private func echoServer(_ settings: TLSServerContext.Settings = .init()) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = TLSServerHandler(try TLSServerContext(settings))
                    try channel.pipeline.syncOperations.addHandlers([tls, EchoHandler()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test(
        "A server may renegotiate once, and receives the identity that is selected then",
        .enabled(if: OpenSSLServer.isInstalled), arguments: TLSLibrary.available, [1, 2])
    func renegotiation(library: TLSLibrary, count: Int) async throws {
        let server = try await OpenSSLServer(["-tls1_2"])
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", library: library), sending: "first\n",
            identity: TLSIdentity(TLSServerContext.identity))
        try await server.waits(for: "first")
        try server.command("R")
        let request = await client.request()
        #expect(request?.phase == .renegotiation)
        #expect(request?.issuers.count == 1)
        // The bytes wait until the renegotiation is complete.
        try await client.channel.writeAndFlush(ByteBuffer(string: "second\n"))
        try await server.waits(for: "second")
        try server.command(count == 1 ? "answer" : "R")
        if count == 1 {
            #expect(await client.text() == "answer\n")
        } else {
            #expect(await client.failure() as? TLSFailure == .renegotiationRefused)
        }
        client.channel.close(promise: nil)
    }
}
