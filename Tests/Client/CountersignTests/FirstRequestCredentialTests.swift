// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

/// Credentials that are sent before a challenge, and those of the session's configuration.
@Suite struct FirstRequestCredentialTests {
    @Test(
        "A credential of the configuration is for the URLs below its key",
        arguments: [
            (key: "https://h.test/v1/", url: "https://h.test/v1/a", isFound: true),
            (key: "https://h.test/v1/", url: "https://h.test/v1/a?b#c", isFound: true),
            (key: "https://h.test/v1/", url: "https://H.test:443/v1/a", isFound: true),
            (key: "https://h.test/v1/", url: "https://h.test/v1x", isFound: false),
            (key: "https://h.test/v1/", url: "https://h.test/v2", isFound: false),
            (key: "https://h.test/v1/", url: "https://h.test/v1/../a", isFound: false),
            (key: "https://h.test/v1/", url: "https://h.test/v1/%2e%2E/a", isFound: false),
            (key: "https://h.test/v1", url: "https://h.test/v1", isFound: true),
            (key: "https://h.test/v1", url: "https://h.test/v1/a", isFound: true),
            (key: "https://h.test/v1", url: "https://h.test/v10", isFound: false),
            (key: "https://h.test", url: "https://h.test/", isFound: true),
            (key: "https://h.test", url: "https://h.test/.well-known/x", isFound: true),
            (key: "https://h.test/", url: "https://h.test/a/%2e%2e/b", isFound: true),
            (key: "https://h.test", url: "https://h.test:8443/", isFound: false),
            (key: "https://h.test", url: "https://www.h.test/", isFound: false),
            (key: "https://h.test", url: "http://h.test/", isFound: false),
            (key: "https://h.test", url: "http://h.test:443/", isFound: false),
            (key: "https://h.test/?a", url: "https://h.test/?a", isFound: false),
            (key: "https://h.test/#a", url: "https://h.test/", isFound: false),
            (key: "https://mary@h.test/", url: "https://h.test/", isFound: false),
            (key: "ftp://h.test/", url: "https://h.test/", isFound: false),
            (key: "h.test", url: "https://h.test/", isFound: false),
            (key: "", url: "https://h.test/", isFound: false),
        ])
    func keys(key: String, url: String, isFound: Bool) throws {
        let table: OriginCredentials = [key: .token(Secret("t"))]
        #expect((table.credential(for: try HTTPURL(url)) != nil) == isFound)
    }

    @Test("The longest path applies, and a new value replaces or removes the old one") func precedence() throws {
        var table: OriginCredentials = [
            "https://h.test/a/": .token(Secret("outer")), "https://h.test/a/b/": .token(Secret("old")),
        ]
        table["https://h.test/a/b/"] = .token(Secret("inner"))
        let url = try HTTPURL("https://h.test/a/b/c")
        #expect(table.credential(for: url) == .token(Secret("inner")))
        table["https://H.TEST:443/a/b/"] = nil
        #expect(table["https://h.test/a/b/"] == nil)
        #expect(table.credential(for: url) == .token(Secret("outer")))
    }

    /// The path from this machine to a server.
    enum Path: Sendable { case direct, proxy, otherTarget }

    @Test(
        "Without TLS, a credential is sent with the first request to this machine only, unless another way is named",
        arguments: [
            (host: "127.0.0.1", path: Path.direct, sending: Credential.Sending.immediately, isSent: true),
            (host: "localhost", path: .direct, sending: .immediately, isSent: true),
            (host: "api.localhost", path: .direct, sending: .immediately, isSent: true),
            (host: "localhost", path: .direct, sending: .whenAsked, isSent: false),
            (host: "localhost", path: .proxy, sending: .immediately, isSent: false),
            (host: "localhost", path: .otherTarget, sending: .immediately, isSent: false),
            (host: "host.test", path: .otherTarget, sending: .immediately, isSent: false),
            (host: "host.test", path: .otherTarget, sending: .immediatelyWithoutTLS, isSent: true),
            (host: "host.test", path: .proxy, sending: .immediatelyWithoutTLS, isSent: true),
        ])
    func plainHTTP(host: String, path: Path, sending: Credential.Sending, isSent: Bool) async throws {
        let fields = NIOLockedValueBox<[String?]>([])
        let server = try await ScriptedServer.start { request in
            fields.withLockedValue { $0.append(request.head.headerFields[.authorization]) }
            return .init(.ok)
        }
        let port = path == .direct ? server.port : 80
        var configuration = HTTPSession.Configuration()
        switch path {
        case .direct: break
        case .proxy: configuration.proxy = try Proxy("http://localhost:\(server.port)")
        case .otherTarget:
            configuration.connectTargets = [
                HostEndpoint(host: try HostName(host), port: 80):
                    .endpoint(HostEndpoint(host: .localhost, port: server.port))
            ]
        }
        let url = "http://\(host):\(port)/"
        let credential = Credential.token(Secret("t")).sending(sending)
        let own = configuration
        configuration.credentials = [url: credential]
        try await withSession(configuration) { _ = try await $0.get(url) }
        try await withSession(own, stopping: [server]) { _ = try await $0.send(.get(url).credential(credential)) }
        #expect(fields.withLockedValue { $0 } == Array(repeating: isSent ? "Bearer t" : nil, count: 2))
    }

    @Test(
        "A proxy's credential is sent with the first request over TLS or to this machine only, unless another way is named",
        arguments: [
            (proxy: "https://p.test:3128", sending: Credential.Sending.immediately, method: .basic),
            ("http://localhost:3128", .immediately, .basic), ("http://127.0.0.1:3128", .immediately, .basic),
            ("http://p.test:3128", .immediately, nil), ("http://p.test:3128", .immediatelyWithoutTLS, .basic),
            ("https://p.test:3128", .whenAsked, nil),
        ] as [(proxy: String, sending: Credential.Sending, method: AuthenticationMethod?)])
    func proxies(proxy: String, sending: Credential.Sending, method: AuthenticationMethod?) throws {
        var proxy = try Proxy(proxy)
        proxy.credential = .password(user: "mary", password: Secret("s")).sending(sending)
        #expect(proxy.ownCredential?.preemptiveMethod == method)
    }

    @Test("A credential that was sent first answers a stronger challenge too") func stronger() async throws {
        let fields = NIOLockedValueBox<[String]>([])
        let server = try await ScriptedServer.start { request in
            let field = request.head.headerFields[.authorization] ?? ""
            fields.withLockedValue { $0.append(String(field.prefix { $0 != " " })) }
            let digest: HTTPFields = [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=\"auth\""]
            return field.hasPrefix("Digest") ? .init(.ok) : .init(.unauthorized, digest)
        }
        var configuration = HTTPSession.Configuration()
        let url = "http://localhost:\(server.port)/"
        configuration.credentials[url] = .password(user: "mary", password: Secret("s")).sending(.immediately)
        try await withSession(configuration, stopping: [server]) { session async throws in
            #expect(try await session.get(url).status == .ok)
            #expect(try await session.get(url).status == .ok)
        }
        #expect(fields.withLockedValue { $0 } == ["Basic", "Digest", "Digest"])
    }

    @Test("A rejected credential is sent once for each request, and then the handler is asked") func rejection()
        async throws
    {
        let server = try await BasicServer.start(knowing: ["mary"])
        var configuration = HTTPSession.Configuration()
        configuration.credentials[server.url()] = BasicServer.credential("eve").sending(.immediately)
        await withServers([server], configuration) { session async throws in
            for _ in 1...2 { #expect(try await session.text(server.url()).status == 401) }
            let own = BasicServer.credential("mary").sending(.immediately)
            #expect(try await session.send(.get(server.url()).credential(own)).status == .ok)
            #expect(try await session.text(server.url("/", login: "mary:marymary@")).status == 200)
        }
        #expect(server.logins == ["eve:eveeve", "eve:eveeve", "mary:marymary", nil, "mary:marymary"])
        configuration.handlers[.basic] = .closure { challenge in
            #expect(challenge.failureCount == 1)
            return .use(BasicServer.credential("mary"))
        }
        let other = try await BasicServer.start(knowing: ["mary"])
        configuration.credentials = [other.url(): BasicServer.credential("eve").sending(.immediately)]
        await withServers([other], configuration) { session async throws in
            #expect(try await session.text(other.url()).status == 200)
        }
        #expect(other.logins == ["eve:eveeve", "mary:marymary"])
    }

    @Test("The condition of an equal credential in the configuration applies to the login of a URL") func login()
        async throws
    {
        let server = try await BasicServer.start(knowing: ["mary"])
        var configuration = HTTPSession.Configuration()
        configuration.credentials[server.url()] = BasicServer.credential("mary").sending(.immediately)
        await withServers([server], configuration) { session async throws in
            #expect(try await session.text(server.url("/", login: "mary:marymary@")).status == 200)
            #expect(try await session.text(server.url("/", login: "mary:other@")).status == 401)
        }
        #expect(server.logins == ["mary:marymary", nil, "mary:other"])
    }

    @Test(
        "The error of a refusal without a challenge says whether a credential was sent",
        arguments: [
            (status: HTTPResponse.Status.notFound, hasCredential: true, isNamed: true),
            (status: .forbidden, hasCredential: true, isNamed: true),
            (status: .unauthorized, hasCredential: true, isNamed: true),
            (status: .unauthorized, hasCredential: false, isNamed: false),
            (status: .notFound, hasCredential: false, isNamed: false),
            (status: .internalServerError, hasCredential: true, isNamed: false),
        ])
    func unsent(status: HTTPResponse.Status, hasCredential: Bool, isNamed: Bool) async throws {
        let server = try await ScriptedServer.start { _ in .init(status) }
        let url = "http://localhost:\(server.port)/"
        var configuration = HTTPSession.Configuration()
        let credential = Credential.token(Secret("t"))
        if hasCredential { configuration.credentials[url] = credential }
        try await withSession(configuration, stopping: [server]) { session async throws in
            let error = await #expect(throws: SessionError.self) { try await session.get(url).expecting(.successful) }
            let sentence = "localhost:\(server.port) did not ask for a credential, so the one for it was not sent."
            #expect(error?.explanation.reason.contains(sentence) == isNamed)
            let refused = "localhost:\(server.port) refused the credential, and did not say why."
            #expect(error?.explanation.reason.contains(refused) == false)
            let sent = SessionRequest.get(url).credential(credential.sending(.immediately))
            let response = try await session.send(sent)
            #expect(response.sentCredential == (status.kind == .clientError))
            let refusal = await #expect(throws: SessionError.self) { try await response.expecting(.successful) }
            #expect(refusal?.explanation.reason.contains(sentence) == false)
            #expect(refusal?.explanation.reason.contains(refused) == (status == .unauthorized))
        }
    }
}
