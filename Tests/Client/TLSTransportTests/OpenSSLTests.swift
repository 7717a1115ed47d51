// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import NIOCore
import TLSRecipes
import TLSServer
import TLSTransport
import Testing

/// Tests of the features that OpenSSL has alone, with its program as the server.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: TLSLibrary.openSSL.isAvailable && OpenSSLServer.isInstalled, "needs the trait OpenSSL and openssl"))
struct OpenSSLTests {
    /// A server that BoringSSL cannot use.
    struct Peer: Sendable, CustomTestStringConvertible {
        var name: String
        var key = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        var arguments: [String] = []
        var parameters: String?
        var versions: ClosedRange<TLSProtocolVersion> = .tls12 ... .tls13
        var isLegacy = false
        var version: TLSProtocolVersion
        var scheme: String?
        var group: String?

        var testDescription: String { "\(name), \(version.name)" }

        func settings(_ library: TLSLibrary, isLegacy: Bool) -> TLSClientSettings {
            TLSClientSettings(
                serverName: "a.test", versions: isLegacy ? versions : max(versions.lowerBound, .tls12) ... .tls13,
                library: library, allowsLegacy: isLegacy)
        }
    }

    static let pss = ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]
    static let rsa = GeneratedKey.rsa

    static func brainpool(_ size: Int) -> [String] {
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP\(size)r1"]
    }

    static let peers: [Peer] = [
        Peer(name: "PSS", key: pss, version: .tls13, scheme: "rsa_pss_pss_sha256", group: "x25519"),
        Peer(name: "PSS", key: pss, arguments: ["-tls1_2"], version: .tls12, scheme: "rsa_pss_pss_sha256"),
        Peer(name: "Ed448", key: ["-algorithm", "ed448"], version: .tls13, scheme: "ed448"),
        Peer(name: "Ed448", key: ["-algorithm", "ed448"], arguments: ["-tls1_2"], version: .tls12, scheme: "ed448"),
        Peer(name: "brainpool key", key: brainpool(256), version: .tls12, scheme: "ecdsa_secp256r1_sha256"),
        Peer(name: "brainpool key", key: brainpool(512), version: .tls12, scheme: "ecdsa_secp256r1_sha256"),
        Peer(
            name: "brainpool group", arguments: ["-tls1_2", "-groups", "brainpoolP384r1"], version: .tls12,
            group: "brainpoolP384r1"),
        Peer(name: "X448", arguments: ["-groups", "X448"], version: .tls13, group: "x448"),
        Peer(name: "ffdhe3072", arguments: ["-groups", "ffdhe3072"], version: .tls13, group: "ffdhe3072"),
        Peer(
            name: "DHE", key: rsa, arguments: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], version: .tls12,
            scheme: "rsa_pss_rsae_sha256"),
        Peer(
            name: "TLS 1.1", arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], versions: .tls10 ... .tls13,
            isLegacy: true, version: .tls11),
        Peer(
            name: "TLS 1.0", key: rsa, arguments: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], versions: .tls10 ... .tls13,
            isLegacy: true, version: .tls10),
        Peer(
            name: "DHE with 1024 bits", key: rsa,
            arguments: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"],
            parameters: OpenSSLServer.shortParameters, isLegacy: true, version: .tls12),
        Peer(
            name: "CAMELLIA", key: rsa, arguments: ["-tls1_2", "-cipher", "CAMELLIA128-SHA"], isLegacy: true,
            version: .tls12),
    ]

    @Test("OpenSSL connects to servers that the default library or the usual rules refuse", arguments: peers)
    func servers(peer: Peer) async throws {
        let server = try await OpenSSLServer(
            ["-rev"] + peer.arguments, keys: GeneratedKey(peer.key), parameters: peer.parameters)
        defer { server.stop() }
        let client = try await server.connect(peer.settings(.openSSL, isLegacy: peer.isLegacy), sending: "abc\n")
        let facts = await client.facts()
        #expect(facts?.version == peer.version)
        if let scheme = peer.scheme { #expect(facts?.signatureScheme?.description == scheme) }
        if let group = peer.group { #expect(facts?.group?.description == group) }
        #expect(await client.text() == "cba\n")
        client.channel.close(promise: nil)
        let other = try await server.connect(
            peer.settings(peer.isLegacy ? .openSSL : .boringSSL, isLegacy: false), sending: "abc\n")
        #expect(await other.failure() is TLSFailure)
    }

    @Test(
        "A server verifies identities of all types of keys",
        arguments: [pss, ["-algorithm", "ed448"], ["-algorithm", "ed25519"], brainpool(384), rsa],
        ["-tls1_2", "-tls1_3"])
    func identities(key: [String], version: String) async throws {
        // TLS 1.3 has no algorithm for brainpool keys (RFC 8734 is not implemented).
        guard key != Self.brainpool(384) || version == "-tls1_2" else { return }
        let keys = try GeneratedKey(key)
        let arguments = ["-rev", "-Verify", "1", "-verify_return_error", "-groups", "X25519:brainpoolP384r1", version]
        let server = try await OpenSSLServer(arguments, keys: keys)
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", library: .openSSL), sending: "abc\n", identity: keys.identity())
        #expect(await client.request()?.phase == .handshake)
        #expect(await client.text() == "cba\n")
        client.channel.close(promise: nil)
    }

    @Test(
        "A refused server receives the alert in all suites, also after a HelloRetryRequest",
        arguments: [
            ["-ciphersuites", "TLS_AES_128_GCM_SHA256"], ["-ciphersuites", "TLS_AES_256_GCM_SHA384"],
            ["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], ["-groups", "P-521"], ["-Verify", "1"],
            ["-tls1_2"], ["-tls1_2", "-Verify", "1"],
        ])
    func refusal(arguments: [String]) async throws {
        let server = try await OpenSSLServer(arguments)
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", library: .openSSL), refusal: .badCertificateStatusResponse)
        #expect(await client.failure() as? TLSFailure == .refused(.badCertificateStatusResponse))
        try await server.waits(for: "alert number 113")
    }

    @Test("An identity that the server cannot verify is an error", arguments: ["-tls1_2", "-tls1_3"])
    func unsuitableIdentity(version: String) async throws {
        let server = try await OpenSSLServer(["-Verify", "1", "-client_sigalgs", "ed25519", version])
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", library: .openSSL), identity: TLSIdentity(TLSServerContext.identity)
        )
        #expect(
            await client.failure() as? TLSFailure
                == .unusableIdentity(reason: "NO_SUITABLE_SIGNATURE_ALGORITHM"))
    }

    @Test("A key that is elsewhere needs the other library", arguments: [TLSProtocolVersion.tls12, .tls13])
    func heldKey(version: TLSProtocolVersion) throws {
        let exchange = try Exchange(
            TLSClientSettings(serverName: nil, library: .openSSL),
            TLSServerContext(.init(versions: version...version, issuers: [])))
        let signer = TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] }
        exchange.selectIdentity = { _ in TLSIdentity(chain: [[1]], signer: signer) }
        exchange.run()
        #expect(exchange.failure == .heldKey)
        #expect(exchange.server.alerts == [.internalError])
    }

    @Test("A server of TLS 1.3 requests an identity after the handshake", arguments: [true, false])
    func lateAuthentication(hasIdentity: Bool) async throws {
        let keys = try GeneratedKey(Self.pss)
        let server = try await OpenSSLServer(["-tls1_3"], keys: keys)
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", applicationProtocols: ["http/1.1"], library: .openSSL),
            sending: "first\n", identity: hasIdentity ? keys.identity() : nil)
        try await server.waits(for: "first")
        try server.command("c")
        let request = try #require(await client.request())
        #expect(request.phase == .postHandshake)
        #expect(request.signatureSchemes.contains { $0.description == "rsa_pss_pss_sha256" })
        try server.command("answer")
        #expect(await client.text() == "answer\n")
        try await client.channel.writeAndFlush(ByteBuffer(string: "second\n"))
        try await server.waits(for: hasIdentity ? "depth=0" : "second")
        client.channel.close(promise: nil)
    }

    @Test("Post-handshake authentication is not offered with HTTP/2")
    func noLateAuthentication() async throws {
        let server = try await OpenSSLServer(["-tls1_3", "-alpn", "h2"])
        defer { server.stop() }
        let client = try await server.connect(
            TLSClientSettings(serverName: "a.test", applicationProtocols: ["h2", "http/1.1"], library: .openSSL),
            sending: "first\n")
        try await server.waits(for: "first")
        try server.command("c")
        try await server.waits(for: "extension not received")
        client.channel.close(promise: nil)
    }

    @Test("A malformed configuration of the administrator is the reason of each failure")
    func malformedConfiguration() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).cnf")
            try "openssl_conf = a\n[a\n".write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            setenv("OPENSSL_CONF", file.path, 1)
            let settings = TLSClientSettings(serverName: nil, library: .openSSL, usesSystemConfiguration: true)
            var failures: [TLSFailure] = []
            for _ in 0..<2 {
                do throws(TLSFailure) {
                    _ = try TLSEngine(settings)
                } catch {
                    failures.append(error)
                }
            }
            #expect(failures.count == 2)
            for failure in failures {
                guard case .unusableSettings(let reason) = failure else {
                    Issue.record("\(failure)")
                    continue
                }
                #expect(reason != "UNKNOWN")
            }
        }
    }

    @Test("The administrator's configuration applies only where it is requested")
    func systemConfiguration() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).cnf")
        try """
        openssl_conf = start
        [start]
        ssl_conf = modules
        [modules]
        system_default = policy
        [policy]
        MaxProtocol = TLSv1.2
        CipherString = ECDHE-ECDSA-AES256-GCM-SHA384
        """.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        // OpenSSL reads the file once, and no other test requests it.
        setenv("OPENSSL_CONF", file.path, 1)
        defer { unsetenv("OPENSSL_CONF") }
        for isRequested in [true, false] {
            let exchange = try Exchange(
                TLSClientSettings(serverName: nil, library: .openSSL, usesSystemConfiguration: isRequested),
                TLSServerContext())
            exchange.run()
            #expect(exchange.facts?.version == (isRequested ? .tls12 : .tls13))
            let suite = isRequested ? "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" : "TLS_AES_128_GCM_SHA256"
            #expect(exchange.facts?.cipherSuite == suite)
        }
    }
}
