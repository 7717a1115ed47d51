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

    @Test("A path that needs post-handshake authentication is served over TLS 1.2")
    func postHandshake() async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            let body = SessionRequestBody.bytes(Array("hello".utf8))
            let post = SessionRequest(url: try apache.url(.tls, Self.secret), method: .post, body: body)
            for request in [SessionRequest(url: try apache.url(.tls, Self.secret)), post] {
                let response = try await session.send(request)
                #expect(response.status == .ok)
                #expect(response.connection.tls?.version == "TLSv1.2")
            }
        }
        #expect(handler.challenges.count == 1)
    }

    @Test(
        "With OpenSSL, a path that needs post-handshake authentication is served over TLS 1.3",
        .enabled(if: TLSLibrary.openSSL.isAvailable), arguments: [Apache.Server.tls, .tls13],
        [HTTPSession.HTTPVersions.all, .onlyHTTP1])
    func postHandshakeByOpenSSL(server: Apache.Server, versions: HTTPSession.HTTPVersions) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(
            handlers: [.clientCertificate: handler], tlsLibrary: .openSSL, httpVersions: versions
        ) { session in
            let (status, _) = try await session.text(of: apache, server)
            #expect(status == 200)
            #expect(handler.challenges.isEmpty)
            let body = SessionRequestBody.bytes(Array("hello".utf8))
            let post = SessionRequest(url: try apache.url(server, Self.secret), method: .post, body: body)
            for request in [SessionRequest(url: try apache.url(server, Self.secret)), post] {
                let response = try await session.send(request)
                #expect(response.status == .ok)
                let tls = try #require(response.connection.tls)
                #expect((tls.version, tls.library) == ("TLSv1.3", .openSSL))
                #expect(tls.clientCertificate != nil)
                _ = try await response.body.collect(upTo: 1 << 20)
            }
        }
        #expect(handler.challenges.count == 1)
    }

    @Test(
        "With OpenSSL, a path that requires a certificate fails without one, and one that wishes for it does not",
        .enabled(if: TLSLibrary.openSSL.isAvailable))
    func postHandshakeWithoutIdentity() async throws {
        let apache = try Apache()
        try await apache.withSession(tlsVersions: .onlyTLS13, tlsLibrary: .openSSL) { session in
            let response = try await session.get(try apache.url(.tls, "/wanted/page.txt"))
            #expect(response.status == .ok)
            #expect(response.connection.tls?.unansweredCertificateRequest != nil)
            do {
                _ = try await session.text(of: apache, .tls, Self.secret)
                Issue.record("served without a certificate")
            } catch SessionError.tls(.clientCertificateRequired) {}
        }
    }

    @Test("If the server has TLS 1.3 alone, the error for post-handshake authentication has its own name")
    func postHandshakeAlone() async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            do {
                _ = try await session.text(of: apache, .tls13, Self.secret)
                Issue.record("served without a certificate")
            } catch SessionError.tls(.postHandshakeAuthenticationRequired) {}
        }
    }

    @Test(
        "A path that only wishes for a certificate is served without one, and with one",
        arguments: [Apache.Server.tls, .tls12], [true, false])
    func optionalCertificate(server: Apache.Server, hasIdentity: Bool) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: hasIdentity ? [.clientCertificate: handler] : [:]) { session in
            let response = try await session.get(try apache.url(server, "/wanted/page.txt"))
            #expect(response.status == .ok)
            #expect((response.connection.tls?.clientCertificate != nil) == hasIdentity)
            #expect((response.connection.tls?.unansweredCertificateRequest == nil) == hasIdentity)
        }
    }

    @Test("A wait for the user during a renegotiation is no timeout, and a refusal is the handler's error")
    func slowAnswer() async throws {
        let apache = try Apache()
        let identity = Credential.identity(try apache.identity())
        let handler = ClosureHandler { _ in
            try await Task.sleep(for: .milliseconds(900))
            return .use(identity)
        }
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only(try apache.authority())), handlers: [.clientCertificate: handler])
        (configuration.idleTimeout, configuration.responseTimeout) = (.milliseconds(400), .milliseconds(300))
        let session = HTTPSession(configuration)
        let (status, _) = try await session.text(of: apache, .tls12, Self.secret)
        #expect(status == 200)
        await session.close()
        struct Refused: Error {}
        let refusing = ClosureHandler { _ in throw Refused() }
        try await apache.withSession(handlers: [.clientCertificate: refusing]) { session in
            await #expect(throws: Refused.self) { _ = try await session.text(of: apache, .tls12, Self.secret) }
        }
    }

    @Test(
        "A new connection resumes the session, also with a client certificate",
        arguments: [Apache.Server.tls12, .tls13, .client12, .client13])
    func resumption(server: Apache.Server) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(.identity(try apache.identity()))
        try await apache.withSession(handlers: [.clientCertificate: handler]) { session in
            for isResumed in [false, true, true] {
                let response = try await session.send(
                    SessionRequest(url: try apache.url(server, "/page.txt"), headerFields: [.connection: "close"]))
                #expect(response.status == .ok)
                #expect(response.connection.tls?.isResumed == isResumed)
                #expect((response.connection.tls?.clientCertificate != nil) == server.rawValue.hasPrefix("client"))
                _ = try await response.body.collect(upTo: 1 << 20)
            }
        }
        #expect(handler.challenges.count <= 1)
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
