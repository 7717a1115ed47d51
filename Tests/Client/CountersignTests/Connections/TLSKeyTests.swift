// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Foundation
import Identities
import TLSRecipes
import Testing

/// The types of keys that only OpenSSL uses in TLS, with the server of OpenSSL's program.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: TLSLibrary.openSSL.isAvailable && OpenSSLServer.isInstalled, "needs the trait OpenSSL and openssl"))
struct TLSKeyTests {
    struct Key: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arguments: [String]
        var version = "-tls1_3"
    }

    static let keys = [
        Key(testDescription: "RSASSA-PSS", arguments: ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]),
        Key(testDescription: "Ed448", arguments: ["-algorithm", "ED448"]),
        Key(
            testDescription: "brainpoolP384r1",
            arguments: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1"], version: "-tls1_2"),
    ]

    /// Generates a key with its own certificate for 127.0.0.1.
    private static func generated(_ arguments: [String]) throws -> GeneratedKey {
        let key = try OpenSSLServer.run(["genpkey"] + arguments)
        let certificate = try OpenSSLServer.run(
            [
                "req", "-x509", "-new", "-key", "/dev/stdin", "-subj", "/CN=a.test", "-days", "2", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ], input: key)
        return GeneratedKey(
            key: String(decoding: key, as: UTF8.self), certificate: String(decoding: certificate, as: UTF8.self))
    }

    private static func configuration(trusting keys: GeneratedKey) throws -> HTTPSession.Configuration {
        let anchors = try CertificateFile.anchors(in: Array(keys.certificate.utf8))
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only(anchors)))
        configuration.policies.fallback.tlsLibrary = .automatic
        return configuration
    }

    @Test("A server with such a key is trusted if it is an anchor, and not if another one is", arguments: keys)
    func servers(key: Key) async throws {
        let (keys, others) = (try Self.generated(key.arguments), try Self.generated(key.arguments))
        let server = try await OpenSSLServer(
            ["-www", key.version, "-groups", "X25519:brainpoolP384r1"], keys: keys)
        defer { server.stop() }
        let session = HTTPSession(try Self.configuration(trusting: keys))
        let response = try await session.get(server.url)
        #expect(response.connection.tls?.library == .openSSL)
        await session.close()
        let other = HTTPSession(try Self.configuration(trusting: others))
        await #expect(throws: SessionError.self) { try await other.get(server.url) }
        await other.close()
    }

    @Test("A client presents an identity with such a key, which the server verifies", arguments: keys)
    func clients(key: Key) async throws {
        let keys = try Self.generated(key.arguments)
        let server = try await OpenSSLServer(
            ["-www", "-Verify", "1", "-verify_return_error", key.version, "-groups", "X25519:brainpoolP384r1"],
            keys: keys)
        defer { server.stop() }
        let identity = try EncodedIdentity.read(Array((keys.certificate + keys.key).utf8))
        #expect(identity.keyType == key.testDescription)
        var configuration = try Self.configuration(trusting: keys)
        configuration.handlers[.clientCertificate] = .identity(identity, host: "127.0.0.1")
        let session = HTTPSession(configuration)
        #expect(try await session.get(server.url).status == .ok)
        await session.close()
        let anonymous = HTTPSession(try Self.configuration(trusting: keys))
        await #expect(throws: SessionError.self) { try await anonymous.get(server.url) }
        await anonymous.close()
    }
}
