// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Countersign
import Crypto
import CryptoExtras
import Foundation
import TLSRecipes
import Testing
import X509

/// The choice of the TLS library, with the server of OpenSSL's program.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: TLSLibrary.openSSL.isAvailable && OpenSSLServer.isInstalled, "needs the trait OpenSSL and openssl"))
struct TLSLibraryTests {
    enum Result: Equatable {
        case served(version: String, TLSLibrary)
        case failed(SessionError.TLSAlternative?)
    }

    struct Peer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arguments: [String]
        var parameters: String?
        /// The results with BoringSSL, with OpenSSL, and with the leniency.
        let results: [Result]
    }

    static let tls12 = Result.served(version: "TLSv1.2", .openSSL)
    static let tls13 = Result.served(version: "TLSv1.3", .openSSL)

    /// The servers that OpenSSL can use and BoringSSL cannot.
    static let unusual: [Peer] = [
        Peer(
            testDescription: "DHE", arguments: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
            results: [.failed(.openSSL), tls12, tls12]),
        Peer(
            testDescription: "a brainpool group",
            arguments: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-groups", "brainpoolP384r1"],
            results: [.failed(.openSSL), tls12, tls12]),
        Peer(
            testDescription: "X448", arguments: ["-tls1_3", "-groups", "X448"],
            results: [.failed(.openSSL), tls13, tls13]),
        Peer(
            testDescription: "ffdhe3072", arguments: ["-tls1_3", "-groups", "ffdhe3072"],
            results: [.failed(.openSSL), tls13, tls13]),
    ]

    /// The servers that need the leniency.
    static let old: [Peer] = [
        Peer(
            testDescription: "TLS 1.1", arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
            results: [.failed(.legacyTLS), .failed(.legacyTLS), .served(version: "TLSv1.1", .openSSL)]),
        Peer(
            testDescription: "TLS 1.0", arguments: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
            results: [.failed(.legacyTLS), .failed(.legacyTLS), .served(version: "TLSv1.0", .openSSL)]),
        Peer(
            testDescription: "CAMELLIA", arguments: ["-tls1_2", "-cipher", "CAMELLIA128-SHA"],
            results: [.failed(.openSSL), .failed(.legacyTLS), tls12]),
        Peer(
            testDescription: "DHE with 1024 bits",
            arguments: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"],
            parameters: OpenSSLServer.shortParameters, results: [.failed(.openSSL), .failed(.legacyTLS), tls12]),
    ]

    private static func result(
        of url: String, count: Int = 1, _ change: (inout ServerPolicy) -> Void
    ) async throws -> [Result] {
        var configuration = HTTPSession.Configuration()
        configuration.trust = TrustPolicy(validation: .dangerouslyDisabled)
        change(&configuration.policies.fallback)
        let session = HTTPSession(configuration)
        var results: [Result] = []
        for _ in 0..<count {
            do {
                let response = try await session.get(url)
                _ = try await response.body.collect(upTo: 1 << 20)
                let tls = try #require(response.connection.tls)
                results.append(.served(version: tls.version, tls.library))
            } catch SessionError.tls(.alertReceived(_, _, let alternative)) {
                results.append(.failed(alternative))
            } catch SessionError.tls(.handshakeFailed(_, _, let alternative)) {
                results.append(.failed(alternative))
            }
        }
        await session.close()
        return results
    }

    @Test("The policy chooses the library, and a failure names the other one or the leniency", arguments: unusual + old)
    func choice(peer: Peer) async throws {
        let server = try await OpenSSLServer.web(peer.arguments, parameters: peer.parameters)
        defer { server.stop() }
        let changes: [(inout ServerPolicy) -> Void] = [
            { _ in }, { $0.tlsLibrary = .openSSL }, { $0.allowsLegacyTLS = true },
        ]
        var found: [Result] = []
        for change in changes { found += try await Self.result(of: server.url, change) }
        #expect(found == peer.results)
    }

    @Test("With both libraries, OpenSSL is used after one failure, and remembered", arguments: unusual)
    func automatic(peer: Peer) async throws {
        let server = try await OpenSSLServer.web(peer.arguments)
        defer { server.stop() }
        let found = try await Self.result(of: server.url, count: 3) { $0.tlsLibrary = .automatic }
        #expect(found == [Result](repeating: peer.results[1], count: 3))
        #expect(server.errorCount == 1)
    }

    @Test("With both libraries, neither versions nor algorithms are weakened", arguments: old)
    func noDowngrade(peer: Peer) async throws {
        let server = try await OpenSSLServer.web(peer.arguments, parameters: peer.parameters)
        defer { server.stop() }
        #expect(try await Self.result(of: server.url) { $0.tlsLibrary = .automatic } == [.failed(.legacyTLS)])
    }

    @Test("With both libraries, a usual server is served by BoringSSL, and an untrusted one by none")
    func usualServer() async throws {
        let server = try await OpenSSLServer.web(["-tls1_3"])
        defer { server.stop() }
        let found = try await Self.result(of: server.url, count: 2) { $0.tlsLibrary = .automatic }
        #expect(found == [Result](repeating: .served(version: "TLSv1.3", .boringSSL), count: 2))
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([])))
        configuration.policies.fallback.tlsLibrary = .automatic
        let session = HTTPSession(configuration)
        do {
            _ = try await session.get(server.url)
            Issue.record("trusted an unknown server")
        } catch SessionError.trust(.notTrusted) {}
        await session.close()
    }

    @Test("After the change of the library, an untrusted server is still not trusted")
    func trust() async throws {
        let server = try await OpenSSLServer.web(Self.unusual[0].arguments)
        defer { server.stop() }
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([])))
        configuration.policies.fallback.tlsLibrary = .automatic
        let session = HTTPSession(configuration)
        do {
            _ = try await session.get(server.url)
            Issue.record("trusted an unknown server")
        } catch SessionError.trust(.notTrusted) {}
        await session.close()
    }

    @Test("An inspection uses the library too, and reports its parameters")
    func inspection() async throws {
        let server = try await OpenSSLServer.web(Self.unusual[2].arguments)
        defer { server.stop() }
        var configuration = HTTPSession.Configuration()
        configuration.policies.fallback.tlsLibrary = .automatic
        let session = HTTPSession(configuration)
        let trust = try await session.inspect(server.url)
        #expect(trust.tlsLibrary == .openSSL)
        #expect(trust.keyExchangeGroup == "x448")
        #expect(trust.signatureScheme == "rsa_pss_rsae_sha256")
        await session.close()
    }

    @Test("A domain's policy decides, whatever the session's policy is")
    func domain() async throws {
        let server = try await OpenSSLServer.web(["-tls1_3"])
        defer { server.stop() }
        var configuration = HTTPSession.Configuration()
        configuration.trust = TrustPolicy(validation: .dangerouslyDisabled)
        var policy = configuration.policies.fallback
        policy.tlsLibrary = .openSSL
        configuration.policies.set(.init(domain: .localhost, policy: policy))
        let session = HTTPSession(configuration)
        for (host, library) in [("localhost", TLSLibrary.openSSL), ("127.0.0.1", .boringSSL)] {
            let response = try await session.get(server.url.replacing("127.0.0.1", with: host))
            #expect(response.connection.tls?.library == library)
        }
        await session.close()
    }

    @Test(
        "A private key that is not in memory needs BoringSSL, and with RSA also TLS 1.2",
        arguments: TLSLibrary.allCases, ["-tls1_2", "-tls1_3"])
    func heldKey(library: TLSLibrary, version: String) async throws {
        let server = try await OpenSSLServer.web([version, "-Verify", "1"])
        defer { server.stop() }
        let issued = try CertificateAuthority(name: "Clients", now: Date()).issue(.client(name: "mary"), now: Date())
        let rsa = try SelfSignedRSA()
        for isRSA in [false, true] {
            let chain = isRSA ? [rsa.certificate] : issued.chain
            let key = HeldKey(key: isRSA ? rsa.key : issued.privateKey)
            let identity = try Identity(chain: chain, privateKey: Certificate.PrivateKey(key))
            let code =
                library == .openSSL
                ? "tls.library-unsuitable" : isRSA && version == "-tls1_3" ? "tls.identity-unusable" : nil
            #expect(try await Self.error(of: server.url, presenting: identity, by: library) == code)
        }
    }

    /// The client has a key of each type, the first with another issuer than the server accepts.
    @Test(
        "The first identity with an issuer and an algorithm of the server is presented", arguments: TLSLibrary.allCases,
        [
            ("-tls1_3", "ECDSA+SHA256", "P-256"), ("-tls1_3", "ECDSA+SHA384:ed25519", "P-384"),
            ("-tls1_3", "ed25519", "Ed25519"), ("-tls1_3", "RSA-PSS+SHA256", "RSA"),
            ("-tls1_3", "RSA+SHA256:ECDSA+SHA512", "P-521"), ("-tls1_3", "ed448", nil),
            ("-tls1_2", "ECDSA+SHA256", "P-521"), ("-tls1_2", "RSA+SHA256:ed25519", "RSA"),
            ("-tls1_2", "ed25519", "Ed25519"),
        ])
    func choiceOfIdentity(
        library: TLSLibrary, request: (version: String, algorithms: String, key: String?)
    ) async throws {
        let server = try await OpenSSLServer.web(
            [request.version, "-verify", "1", "-client_sigalgs", request.algorithms])
        defer { server.stop() }
        let keys: [(String, Certificate.PrivateKey)] = [
            ("RSA", .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))),
            ("P-521", .init(P521.Signing.PrivateKey())), ("P-384", .init(P384.Signing.PrivateKey())),
            ("P-256", .init(P256.Signing.PrivateKey())),
            ("Ed25519", .init(Curve25519.Signing.PrivateKey())),
        ]
        let identities = try keys.flatMap { name, key in
            try ["Other Clients", "a.test"].map { try Self.identity(name, key, issuer: $0) }
        }
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(validation: .dangerouslyDisabled),
            handlers: [.clientCertificate: .identities(identities, host: "127.0.0.1")])
        configuration.policies.fallback.tlsLibrary = library == .openSSL ? .openSSL : .boringSSL
        let session = HTTPSession(configuration)
        let tls = try #require(try await session.get(server.url).connection.tls)
        #expect(tls.clientCertificate?.subject.description == request.key.map { "CN=\($0)" })
        #expect(tls.clientCertificate.map { $0.issuer.description == "CN=a.test" } ?? true)
        await session.close()
    }

    private static func identity(_ name: String, _ key: Certificate.PrivateKey, issuer: String) throws -> Identity {
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date() - 3_600, notValidAfter: Date() + 3_600,
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(name) },
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(P256.Signing.PrivateKey()))
        return try Identity(chain: [certificate], privateKey: key)
    }

    @Test("A request for an identity between two requests ends the connection", arguments: TLSLibrary.allCases)
    func idleRequest(library: TLSLibrary) async throws {
        let server = try await OpenSSLServer(["-tls1_2"], keys: GeneratedKey(GeneratedKey.rsa))
        defer { server.stop() }
        let issued = try CertificateAuthority(name: "Clients", now: Date()).issue(.client(name: "mary"), now: Date())
        let identity = try Identity(chain: issued.chain, privateKey: issued.privateKey)
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(validation: .dangerouslyDisabled),
            handlers: [.clientCertificate: .identity(identity, host: "127.0.0.1")])
        configuration.observer = { recorder.note($0) }
        configuration.policies.fallback.tlsLibrary = library == .openSSL ? .openSSL : .boringSSL
        let session = HTTPSession(configuration)
        for path in ["a", "b"] {
            let url = server.url + path
            async let response = session.get(url)
            try await server.waits(for: "GET /\(path)")
            try server.command("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")
            #expect(try await response.status == .ok)
            guard path == "a" else { break }
            // This command renegotiates with a request for a certificate.
            try server.command("R")
            try await server.waits(for: "alert internal error")
        }
        #expect(recorder.connections.count == 2)
        await session.close()
    }

    /// Returns the code of a request's error; `nil` if it was served.
    private static func error(
        of url: String, presenting identity: Identity, by library: TLSLibrary
    ) async throws -> String? {
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(validation: .dangerouslyDisabled),
            handlers: [.clientCertificate: .identity(identity, host: "127.0.0.1")])
        configuration.policies.fallback.tlsLibrary = library == .openSSL ? .openSSL : .boringSSL
        let session = HTTPSession(configuration)
        var code: String?
        do {
            #expect(try await session.get(url).status == .ok)
        } catch let error as SessionError {
            code = error.code
        }
        await session.close()
        return code
    }
}

/// A certificate with an RSA key, signed by itself.
private struct SelfSignedRSA {
    let key: Certificate.PrivateKey
    let certificate: Certificate

    init() throws {
        key = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let name = try DistinguishedName { CommonName("john") }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date() - 3_600, notValidAfter: Date() + 3_600, issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption, extensions: Certificate.Extensions(), issuerPrivateKey: key)
    }
}

extension OpenSSLServer {
    /// Starts a web server with a new RSA key.
    fileprivate static func web(_ arguments: [String], parameters: String? = nil) async throws -> OpenSSLServer {
        try await OpenSSLServer(["-www"] + arguments, keys: GeneratedKey(GeneratedKey.rsa), parameters: parameters)
    }

    var url: String { "https://127.0.0.1:\(port)/" }
}
