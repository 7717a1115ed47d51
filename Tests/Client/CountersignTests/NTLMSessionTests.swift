// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOCore
import Testing

/// NTLM authentication by a session, verified by an acceptor that shares no code with the client.
@Suite
struct NTLMSessionTests {
    private static let mary = LabServer.Credentials(user: "mary", password: "secret")

    private static func handlers(_ password: String = Lab.credentials.password) -> ChallengeHandlers {
        let credential = Credential.password(user: Lab.credentials.user, password: Secret(password))
        return [.ntlm: .closure { challenge in challenge.failureCount == 0 ? .use(credential) : .performDefault }]
    }

    /// Calls a closure with a plain HTTP server and a session that may authenticate to it.
    private static func withPlainServer(
        _ terms: NTLMTerms? = nil, options: NTLMGate.Options = [], password: String = Lab.credentials.password,
        allowsPlainHTTP: Bool = true, _ body: (ScriptedServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let gate = NTLMGate(try terms ?? NTLMTerms(), options: options)
        let server = try await ScriptedServer.start(behind: gate) { request in
            .init(.ok, body: "\(request.connection) \(request.body.count)")
        }
        var configuration = HTTPSession.Configuration(handlers: handlers(password))
        configuration.allowsNTLMOverPlainHTTP = allowsPlainHTTP
        try await withSession(configuration, stopping: [server]) { session async throws in
            try await body(server, session, "http://localhost:\(server.port)/")
        }
    }

    @Test("A connection costs two more requests to authenticate, and later requests cost none")
    func authenticationCost() async throws {
        try await withLab { lab async throws in
            try await withSession(lab, handlers: Self.handlers()) { session async throws in
                for count in [3, 4, 5, 6] {
                    #expect(try await session.text(lab[.ntlm].url).status == 200)
                    #expect(lab.requestCount(.ntlm) == count)
                }
                #expect(lab.connectionCount(.ntlm) == 1)
            }
        }
    }

    @Test("Each of several parallel connections costs at most two more requests")
    func parallelConnections() async throws {
        try await withLab { lab async throws in
            try await withSession(lab, handlers: Self.handlers()) { session async throws in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<12 { group.addTask { try await session.text(lab[.ntlm].url).status } }
                    for try await status in group { #expect(status == 200) }
                }
                let connections = lab.connectionCount(.ntlm)
                #expect(lab.requestCount(.ntlm) <= 12 + 2 * connections)
                let before = lab.requestCount(.ntlm)
                #expect(try await session.text(lab[.ntlm].url).status == 200)
                #expect(lab.requestCount(.ntlm) == before + 1)
            }
        }
    }

    @Test("A wrong password is sent once") func wrongPassword() async throws {
        try await withLab { lab async throws in
            try await withSession(lab, handlers: Self.handlers("wrong")) { session async throws in
                #expect(try await session.text(lab[.ntlm].url).status == 401)
                // The remaining exchange and the closed connection must not cause a second proof of the same password.
                #expect(lab.requestCount(.ntlm) == 3)
            }
        }
    }

    @Test("A response bound to another certificate is rejected") func channelBinding() async throws {
        let now = Date()
        let authority = try CertificateAuthority(name: "NTLM Root", now: now)
        let presented = try authority.issue(.server(names: ["localhost"]), now: now)
        let other = try authority.issue(.server(names: ["localhost"]), now: now)
        for (certificate, status) in [(presented.certificate, 200), (other.certificate, 401)] {
            let gate = NTLMGate(try NTLMTerms(boundTo: certificate))
            let server = try await ScriptedServer.start(presenting: presented, behind: gate) { _ in .init(.ok) }
            let session = HTTPSession(
                .init(
                    trust: TrustPolicy(anchors: .only([authority.certificate])),
                    handlers: Self.handlers()))
            let answered = try? await session.get("https://localhost:\(server.port)/").status.code
            #expect(answered == status)
            await session.close()
            await server.stop()
        }
    }

    @Test(
        "A session authenticates to a proxy once for each connection",
        arguments: [LabServer.Kind.plainHTTP, .goodHTTPS, .basic])
    func proxy(origin: LabServer.Kind) async throws {
        let password = Credential.password(
            user: Lab.credentials.user, password: Secret(Lab.credentials.password))
        try await withLab { lab async throws in
            let handlers: ChallengeHandlers = [
                .ntlm: .closure { _ in .use(password) }, .basic: .closure { _ in .use(password) },
            ]
            let proxy = try Proxy(lab[.proxyNTLM].url)
            try await withSession(
                lab, handlers: handlers, proxy: proxy, change: { $0.allowsNTLMOverPlainHTTP = true }
            ) { session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[origin].url).status == 200) }
                // The proxy sees one CONNECT request for a tunnel, but every plain request.
                #expect(lab.requestCount(.proxyNTLM) == (origin == .plainHTTP ? 5 : 3))
                #expect(lab.connectionCount(.proxyNTLM) == 1)
            }
            try await withSession(lab, handlers: handlers, proxy: proxy) { session async throws in
                await #expect(throws: SessionError.self) { try await session.text(lab[origin].url) }
            }
        }
    }

    @Test(
        "The login works when the server omits the timestamp or the target information",
        arguments: [NTLMTerms.Omission.nothing, .timestamp, .targetInformation], [NTLMGate.Options(), .chunksRefusals])
    func incompleteChallenges(omission: NTLMTerms.Omission, options: NTLMGate.Options) async throws {
        try await Self.withPlainServer(NTLMTerms(omitting: omission), options: options) {
            server, session, url async throws in
            for count in [3, 4] {
                let request = SessionRequest(url: url, method: .post, body: .bytes(Array("posted".utf8)))
                let response = try await session.send(request)
                #expect(String(buffer: try await response.body.collect(upTo: 100)) == "1 6")
                #expect(server.requestCount == count)
            }
        }
    }

    /// The server challenges requests without a message and accepts the NEGOTIATE_MESSAGE, which comes without a body.
    @Test(
        "A server that accepts the NEGOTIATE_MESSAGE does not cause an endless exchange", .timeLimit(.minutes(1)),
        arguments: [Credential.Persistence.none, .session])
    func type1Accepted(persistence: Credential.Persistence) async throws {
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "NTLM"]) : .init(.ok, body: "\(request.body.count)")
        }
        var configuration = HTTPSession.Configuration(handlers: [
            .ntlm: .closure { _ in
                .use(.password(user: "lab", password: Secret("countersign"), persistence: persistence))
            }
        ])
        configuration.allowsNTLMOverPlainHTTP = true
        try await withSession(configuration, stopping: [server]) { session async throws in
            let request = SessionRequest(
                url: "http://localhost:\(server.port)/", method: .post, body: .bytes(Array("posted".utf8)))
            do {
                let response = try await session.send(request)
                #expect(String(buffer: try await response.body.collect(upTo: 100)) == "6")
            } catch SessionError.authentication(.interrupted(let space)) {
                #expect(space.method == .ntlm)
            }
            #expect(server.requestCount < 30)
        }
    }

    @Test("Without TLS a challenge is not answered unless the configuration allows it") func plainHTTP() async throws {
        try await Self.withPlainServer(allowsPlainHTTP: false) { server, session, url async throws in
            #expect(try await session.get(url).status == .unauthorized)
            #expect(server.requestCount == 1)
        }
    }

    @Test("If the server closes after its first 401, the login continues on a new connection")
    func closedAfterRefusal() async throws {
        try await Self.withPlainServer(options: .closesAfterFirstRefusal) { server, session, url async throws in
            #expect(try await session.get(url).status == .ok)
            #expect(server.requestCount == 3 && server.connectionCount == 2)
        }
    }

    @Test("A login whose connection closes after the CHALLENGE_MESSAGE ends without success")
    func closedAfterChallenge() async throws {
        try await Self.withPlainServer(options: .closesAfterChallenge) { server, session, url async throws in
            let status = try? await session.get(url).status
            #expect(status != .ok)
            #expect(server.requestCount < 10)
        }
    }

    @Test("Each user's requests use a separate connection") func otherUser() async throws {
        let terms = try NTLMTerms(accepted: [Lab.credentials, Self.mary])
        try await Self.withPlainServer(terms) { server, session, url async throws in
            var marys = SessionRequest(url: url)
            marys.credential = .password(user: Self.mary.user, password: Secret(Self.mary.password))
            for (request, connection) in [
                (SessionRequest(url: url), 1), (marys, 2), (SessionRequest(url: url), 1), (marys, 2),
            ] {
                let response = try await session.send(request)
                #expect(String(buffer: try await response.body.collect(upTo: 100)) == "\(connection) 0")
            }
            #expect(server.requestCount == 8 && server.connectionCount == 2)
        }
    }
}
