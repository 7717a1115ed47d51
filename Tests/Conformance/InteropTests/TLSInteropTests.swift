// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing
import X509

@Suite(.interop) struct TLSInteropTests {
    private static let secret = "/secret/page.txt"

    @Test("Plain HTTP needs no trust") func plainHTTP() async throws {
        let apache = try Apache()
        try await apache.withSession { session in
            let (status, body) = try await session.text(of: apache, .plain)
            #expect(status == 200)
            #expect(body == "served from .\n")
        }
    }

    @Test("A private authority is trusted only as a configured anchor", arguments: [Apache.Server.tls, .tls12, .tls13])
    func privateAuthority(server: Apache.Server) async throws {
        let apache = try Apache()
        try await apache.withSession { session in
            let (status, _) = try await session.text(of: apache, server)
            #expect(status == 200)
        }
        try await apache.withSession(trust: TrustPolicy(anchors: .only([]))) { session in
            do {
                _ = try await session.text(of: apache, server)
                Issue.record("trusted an unknown authority")
            } catch SessionError.trust(.notTrusted) {}
        }
    }

    @Test(
        "A server that requires a certificate gets it in the handshake", arguments: [Apache.Server.client12, .client13])
    func handshakeRequest(server: Apache.Server) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            for _ in 0..<2 {
                let (status, _) = try await session.text(of: apache, server)
                #expect(status == 200)
            }
        }
        #expect(handler.challenges.map(\.space.method) == [.clientCertificate])
    }

    @Test("A path that requires a certificate in TLS 1.2 gets it by renegotiation on the same connection")
    func renegotiation() async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            let (status, _) = try await session.text(of: apache, .tls12)
            #expect(status == 200)
            #expect(handler.challenges.isEmpty)
            for _ in 0..<2 {
                let (status, body) = try await session.text(of: apache, .tls12, Self.secret)
                #expect(status == 200)
                #expect(body == "served from secret\n")
            }
        }
        #expect(handler.challenges.map(\.space.method) == [.clientCertificate])
    }

    @Test(
        "Without an identity the error says that a client certificate is required",
        arguments: [(Apache.Server.client12, "/page.txt"), (.client13, "/page.txt"), (.tls12, secret)])
    func missingIdentity(server: Apache.Server, path: String) async throws {
        let apache = try Apache()
        try await apache.withSession { session in
            do {
                _ = try await session.text(of: apache, server, path)
                Issue.record("served without a certificate")
            } catch SessionError.tls(.clientCertificateRequired) {}
        }
    }

    @Test(
        "An identity of another authority is refused",
        arguments: [(Apache.Server.client12, "/page.txt"), (.client13, "/page.txt"), (.tls12, secret)])
    func foreignIdentity(server: Apache.Server, path: String) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.stranger()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            do {
                _ = try await session.text(of: apache, server, path)
                Issue.record("served a stranger")
            } catch SessionError.tls(.clientCertificateRefused) {}
        }
    }

    @Test(
        "A proxy's password and a client certificate may both be asked for",
        arguments: [Apache.Server.proxyBasic, .proxyDigest],
        [(Apache.Server.client12, "/page.txt"), (.client13, "/page.txt"), (.tls12, secret)])
    func proxyAndIdentity(
        proxy: Apache.Server, origin: (server: Apache.Server, path: String)
    ) async throws {
        let apache = try Apache()
        let passwords = RecordingHandler(try apache.password())
        let identities = RecordingHandler(.identity(try apache.identity()))
        let handlers: ChallengeHandlers = [.basic: passwords, .digest: passwords, .clientCertificate: identities]
        try await apache.withSession(handlers: handlers, through: proxy) { session in
            let (status, _) = try await session.text(of: apache, origin.server, origin.path)
            #expect(status == 200)
        }
        #expect(passwords.challenges.map(\.space.role) == [.proxy])
        #expect(identities.challenges.map(\.space.role) == [.origin])
    }

    @Test(
        "The acceptable issuers that Apache sends are offered",
        arguments: [(Apache.Server.client12, "/page.txt"), (.client13, "/page.txt"), (.tls12, secret)])
    func acceptableIssuers(server: Apache.Server, path: String) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            let (status, _) = try await session.text(of: apache, server, path)
            #expect(status == 200)
        }
        guard case .clientCertificateRequest(let request)? = handler.challenges.first?.statement else {
            Issue.record("not asked")
            return
        }
        let authorities = try apache.authority().map(\.subject)
        let identity = try apache.identity()
        #expect(request.acceptableIssuers == authorities)
        #expect(request.isMet(by: identity))
    }

    @Test("The error for post-handshake authentication has its own name", arguments: [Apache.Server.tls, .tls13])
    func postHandshake(server: Apache.Server) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            do {
                _ = try await session.text(of: apache, server, Self.secret)
                Issue.record("served without a certificate")
            } catch SessionError.tls(.postHandshakeAuthenticationRequired) {}
        }
    }

    @Test("With TLS 1.2 only, a path that needs post-handshake authentication is served")
    func onlyTLS12() async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler], tlsVersions: .onlyTLS12) { session in
            let (status, _) = try await session.text(of: apache, .tls, Self.secret)
            #expect(status == 200)
        }
        #expect(handler.challenges.count == 1)
    }
}
