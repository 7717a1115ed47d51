// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

/// Requests through the lab's SOCKS proxies.
@Suite struct SOCKSTests {
    private static let known = Credential.password(
        user: Lab.credentials.user, password: Secret(Lab.credentials.password))
    private static let wrong = Credential.password(user: "lab", password: Secret("wrong"))

    @Test(
        "Origins are reached through SOCKS proxies with and without a password",
        arguments: [LabServer.Kind.proxySOCKS, .proxySOCKSPassword],
        [LabServer.Kind.plainHTTP, .goodHTTPS, .basic, .clientCertificateRequired])
    func origins(kind: LabServer.Kind, origin: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let password = recorder.handler { challenge in
                challenge.space.role == .proxy || origin == .basic ? .use(Self.known) : .performDefault
            }
            let handlers: ChallengeHandlers = [
                .socksPassword: password, .basic: password,
                .clientCertificate: .closure { _ in .use(.identity(lab.clientIdentity)) },
            ]
            try await withSession(lab, handlers: handlers, proxy: Proxy(lab[kind].url), recorder: recorder) {
                session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[origin].url).status == 200) }
            }
            let questions = recorder.handlerChallenges.filter { $0.space.role == .proxy }
            #expect(questions.count == (kind == .proxySOCKS ? 0 : 1))
            for challenge in questions {
                let space = challenge.space
                #expect(space.method == .socksPassword && space.scheme == "socks5" && space.realm == nil)
                #expect(space.port == lab[kind].port && !space.isEncrypted)
                guard case .socksLogin = challenge.statement else {
                    Issue.record("\(challenge.statement)")
                    return
                }
            }
            #expect(lab.connectionCount(kind) == 1)
            #expect(recorder.connections.map(\.endpoint.port) == [lab[origin].port])
            #expect(recorder.connections.first?.proxy?.kind == .socks5)
            #expect((recorder.connections.first?.tls != nil) == (origin != .plainHTTP))
        }
    }

    @Test("An origin's chain is evaluated and inspected through the proxy") func trust() async throws {
        try await withLab { lab async throws in
            var proxy = try Proxy(lab[.proxySOCKSPassword].url)
            proxy.credential = Self.known
            try await withSession(lab, proxy: proxy) { session async throws in
                do {
                    _ = try await session.text(lab[.selfSigned].url)
                    Issue.record("trusted")
                } catch SessionError.trust(.notTrusted(let endpoint, _, _)) {
                    #expect(endpoint.port == lab[.selfSigned].port)
                }
                #expect(try await session.inspect(lab[.goodHTTPS].url).verdict.isTrusted)
            }
        }
    }

    // MARK: Authentication

    @Test("The credential of the proxy's URL is tried before the handler is asked") func urlCredential() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(Self.known) }
            for (password, questions) in [(Lab.credentials.password, 0), ("wrong", 1)] {
                let url = lab[.proxySOCKSPassword].url.replacing("//", with: "//lab:\(password)@")
                try await withSession(lab, handlers: [.socksPassword: handler], proxy: Proxy(url)) {
                    session async throws in
                    for _ in 0..<2 { #expect(try await session.text(lab[.plainHTTP].url).status == 200) }
                }
                #expect(recorder.handlerChallenges.map(\.failureCount) == Array(repeating: 1, count: questions))
            }
        }
    }

    @Test("An unanswered or rejected login at a proxy is an error", arguments: [nil, wrong])
    func unanswered(answer: Credential?) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in answer.map { .use($0) } ?? .performDefault }
            try await withSession(
                lab, handlers: [.socksPassword: handler], proxy: Proxy(lab[.proxySOCKSPassword].url)
            ) { session async throws in
                do {
                    _ = try await session.text(lab[.plainHTTP].url)
                    Issue.record("the request succeeded")
                } catch SessionError.proxy(.authenticationRequired(let endpoint, let methods)) where answer == nil {
                    #expect(endpoint.port == lab[.proxySOCKSPassword].port)
                    #expect(methods == [.socksPassword])
                } catch SessionError.proxy(.credentialRejected(let endpoint, let methods)) where answer != nil {
                    #expect(endpoint.port == lab[.proxySOCKSPassword].port)
                    #expect(methods == [.socksPassword])
                }
            }
            // The rejected credential is sent only once.
            #expect(recorder.handlerChallenges.map(\.failureCount) == (answer == nil ? [0] : [0, 1]))
            #expect(lab.requestCount(.proxySOCKSPassword) == (answer == nil ? 0 : 1))
        }
    }

    @Test("A handler may cancel the login") func cancelled() async throws {
        try await withLab { lab async throws in
            try await withSession(
                lab, handlers: [.socksPassword: .closure { _ in .cancel }], proxy: Proxy(lab[.proxySOCKSPassword].url)
            ) { session async throws in
                do {
                    _ = try await session.text(lab[.plainHTTP].url)
                    Issue.record("the request succeeded")
                } catch SessionError.cancelled(.challenge(let space)) {
                    #expect(space.method == .socksPassword)
                }
            }
        }
    }

    @Test("A token is not a credential for SOCKS") func unsuitableCredential() async throws {
        try await withLab { lab async throws in
            try await withSession(
                lab, handlers: [.socksPassword: .closure { _ in .use(.token(Secret("t"))) }],
                proxy: Proxy(lab[.proxySOCKSPassword].url)
            ) { session async throws in
                do {
                    _ = try await session.text(lab[.plainHTTP].url)
                    Issue.record("the request succeeded")
                } catch SessionError.authentication(.unanswerableChallenge(_, let error)) {
                    #expect(error == .unsuitableCredential(.socksPassword))
                }
            }
        }
    }

    @Test("The next session uses a permanent credential") func permanent() async throws {
        try await withLab { lab async throws in
            let store = MemoryStore()
            let recorder = Recorder()
            let handler = recorder.handler { _ in
                .use(.password(user: "lab", password: Secret(Lab.credentials.password), persistence: .permanent))
            }
            for _ in 0..<2 {
                try await withSession(
                    lab, handlers: [.socksPassword: handler], proxy: Proxy(lab[.proxySOCKSPassword].url),
                    change: { $0.credentialStore = store }
                ) { session async throws in
                    #expect(try await session.text(lab[.plainHTTP].url).status == 200)
                }
            }
            #expect(recorder.handlerChallenges.count == 1)
            #expect(store.contents.count == 1)
        }
    }

    // MARK: Message contents

    @Test("A plain origin receives a path and nothing of the proxy's credential") func plainOrigin() async throws {
        let received = NIOLockedValueBox("")
        let observer = ByteObserver { layer, _, bytes in
            if layer == .content { received.withLockedValue { $0 += String(buffer: bytes) } }
        }
        let origin = try await ScriptedServer.start(before: observer) { _ in .init(.ok) }
        let server = try await ScriptedServer.startSOCKS(behind: .anyLogin)
        var proxy = try Proxy("socks5h://mary:s3cret@127.0.0.1:\(server.port)")
        proxy.preemptiveMethod = .basic
        try await withSession(.init(proxy: proxy), stopping: [origin, server]) { session async throws in
            var request = SessionRequest(url: "http://localhost:\(origin.port)/path?query")
            request.headerFields[.proxyAuthorization] = "Basic x"
            #expect(try await session.send(request).status == .ok)
        }
        let text = received.withLockedValue { $0 }
        #expect(text.hasPrefix("GET /path?query HTTP/1.1\r\n"))
        #expect(!text.lowercased().contains("proxy-") && !text.contains("s3cret"))
    }

    @Test("The proxy connects to the connect target's destination") func connectTarget() async throws {
        try await withLab { lab async throws in
            let destination = HostEndpoint(host: try HostName("localhost"), port: lab[.plainHTTP].port)
            let origin = HostEndpoint(host: try HostName("a.test"), port: 80)
            try await withSession(
                lab, proxy: Proxy(lab[.proxySOCKS].url),
                change: { $0.connectTargets = [origin: .endpoint(destination)] }
            ) { session async throws in
                #expect(try await session.text("http://a.test/").status == 200)
                // The lab connects to loopback only and cannot resolve this name.
                do {
                    _ = try await session.text("http://b.test/")
                    Issue.record("the request succeeded")
                } catch SessionError.proxy(.socksRefused(let endpoint, _, let reason)) {
                    #expect(endpoint.port == lab[.proxySOCKS].port && reason == .notAllowed)
                }
            }
        }
    }
}
