// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import NIOCore
import NIOPosix
import SwiftASN1
import TLSTransport
import Testing
import TrustRecipes
import X509

/// Tests over real sockets.
@Suite(.timeLimit(.minutes(2))) struct TLSSocketTests {
    private static let openSSL = URL(filePath: "/usr/bin/openssl")

    @Test("Bodies arrive complete with and without automatic reads", arguments: [false, true])
    func bodies(readsAutomatically: Bool) async throws {
        let server = try await echoServer()
        let body = ByteBuffer(bytes: (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let client = try await SocketClient(
            to: try #require(server.localAddress), sending: body, readsAutomatically: readsAutomatically)
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
        let settings = ServerContext.Settings(
            versions: version...version, issuers: [], requiresClientCertificate: true)
        let server = try await echoServer(settings)
        let client = try await SocketClient(
            to: try #require(server.localAddress), sending: ByteBuffer(string: "echo"), identity: TLSIdentity(identity))
        var echo = ""
        for await event in client.events {
            if case .received(let bytes) = event { echo += String(buffer: bytes) }
            if echo == "echo" { client.channel.close(promise: nil) }
        }
        #expect(echo == "echo")
        try await server.close()
    }

    private func echoServer(_ settings: ServerContext.Settings = .init()) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EchoHandler(ServerEngine(ServerContext(settings))))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test(
        "A server may renegotiate once, and receives the identity that is selected then",
        // A server process of a parallel case would inherit this one's listener.
        .serialized, .enabled(if: FileManager.default.isExecutableFile(atPath: openSSL.path)), arguments: [1, 2])
    func renegotiation(count: Int) async throws {
        let server = try RenegotiatingServer()
        defer { server.stop() }
        let client = try await server.connect(sending: "first\n")
        await server.waits(for: "first")
        try server.command("R")
        var events = client.events.makeAsyncIterator()
        // TLS 1.2 yields a session in the first handshake only.
        guard case .sessionReceived = await events.next(), case .requested(let request) = await events.next() else {
            Issue.record("no request")
            return
        }
        #expect(request.phase == .renegotiation)
        #expect(request.issuers.count == 1)
        // The bytes wait until the renegotiation is complete.
        try await client.channel.writeAndFlush(ByteBuffer(string: "second\n"))
        await server.waits(for: "second")
        try server.command(count == 1 ? "answer" : "R")
        switch await events.next() {
        case .received(let bytes):
            #expect(count == 1)
            #expect(String(buffer: bytes) == "answer\n")
        case .failed(let error):
            #expect(count == 2)
            #expect(error as? TLSFailure == .renegotiationRefused)
        case let event:
            Issue.record("unexpected \(String(describing: event))")
        }
        client.channel.close(promise: nil)
    }
}

/// OpenSSL's server, which renegotiates if its input says so.
private final class RenegotiatingServer {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private let texts: AsyncStream<String>
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let port: Int

    init() throws {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        self.texts = texts
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(String(decoding: data, as: UTF8.self)) }
        }
        // The port of a listener that was closed is free for a while.
        let listener = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).wait()
        port = listener.localAddress?.port ?? 0
        try listener.close().wait()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let identity = ServerContext.identity
        let (certificate, key) = (folder.appending(path: "certificate.pem"), folder.appending(path: "key.pem"))
        try identity.certificate.serializeAsPEM().pemString.write(to: certificate, atomically: true, encoding: .utf8)
        try identity.privateKey.serializeAsPEM().pemString.write(to: key, atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-tls1_2", "-cert", certificate.path, "-key",
            key.path, "-CAfile", certificate.path,
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        output.fileHandleForReading.readabilityHandler = nil
        // Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func command(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Waits until the server has printed a text.
    func waits(for text: String) async {
        var printed = ""
        for await more in texts {
            printed += more
            if printed.contains(text) { return }
        }
    }

    /// Connects as soon as the server listens.
    func connect(sending text: String) async throws -> SocketClient {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        while true {
            do {
                return try await SocketClient(
                    to: address, sending: ByteBuffer(string: text), identity: TLSIdentity(ServerContext.identity))
            } catch is IOError where process.isRunning {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

/// A key that signs and cannot be exported, like one in a token.
private struct HeldKey: CustomPrivateKey {
    struct NotExportable: Error {}

    static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

    let key: Certificate.PrivateKey

    var publicKey: Certificate.PublicKey { key.publicKey }
    var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
    var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [] }

    func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        try key.sign(bytes: bytes, signatureAlgorithm: signatureAlgorithm)
    }

    func serialize(into coder: inout DER.Serializer) throws { throw NotExportable() }
}
