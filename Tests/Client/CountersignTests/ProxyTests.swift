// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

@Suite struct ProxyTests {
    @Test(
        "Open, Basic and Digest proxies reach the origins, and the handler is asked once",
        arguments: [LabServer.Kind.proxyOpen, .proxyBasic, .proxyDigest], [LabServer.Kind.plainHTTP, .goodHTTPS])
    func everyProxy(proxy: LabServer.Kind, origin: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                guard let credentials = lab[proxy].credentials, challenge.space.role == .proxy else {
                    return .performDefault
                }
                return .use(.password(user: credentials.user, password: Secret(credentials.password)))
            }
            try await withSession(
                lab, handlers: [.basic: handler, .digest: handler], proxy: Proxy(lab[proxy].url), recorder: recorder
            ) { session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[origin].url).status == 200) }
            }
            #expect(recorder.handlerChallenges.count == (proxy == .proxyOpen ? 0 : 1))
            #expect(recorder.connections.allSatisfy { $0.proxy?.endpoint.port == lab[proxy].port })
        }
    }

    @Test(
        "The passwords of a proxy and of an origin for one method are registered in either order",
        arguments: [false, true])
    func oneMethod(isProxyFirst: Bool) async throws {
        try await withLab { lab async throws in
            func handler(_ kind: LabServer.Kind, _ role: ProtectionSpace.Role) throws -> any ChallengeHandler {
                let credentials = try #require(lab[kind].credentials)
                return .password(
                    user: credentials.user, password: Secret(credentials.password), host: "localhost",
                    port: lab[kind].port, allowsPlainHTTP: true, role: role)
            }
            let (proxy, origin) = (try handler(.proxyBasic, .proxy), try handler(.basic, .origin))
            let handlers: ChallengeHandlers =
                isProxyFirst ? [.basic: proxy, .basic: origin] : [.basic: origin, .basic: proxy]
            try await withSession(lab, handlers: handlers, proxy: Proxy(lab[.proxyBasic].url)) {
                session async throws in
                #expect(try await session.text(lab[.basic].url).status == 200)
            }
        }
    }

    @Test("A proxy's challenge that is not answered is an error", arguments: [LabServer.Kind.plainHTTP, .goodHTTPS])
    func unansweredChallenge(origin: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            try await withSession(lab, proxy: Proxy(lab[.proxyBasic].url)) { session async throws in
                do {
                    _ = try await session.text(lab[origin].url)
                    Issue.record("the request succeeded")
                } catch SessionError.proxy(.authenticationRequired(let endpoint, let methods)) {
                    #expect(endpoint.port == lab[.proxyBasic].port)
                    #expect(methods == [.basic])
                }
            }
        }
    }

    @Test("A wrong password is sent to a proxy once", arguments: [LabServer.Kind.plainHTTP, .goodHTTPS])
    func wrongPassword(origin: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.password(user: "lab", password: Secret("wrong"))) }
            try await withSession(
                lab, handlers: [.digest: handler], proxy: Proxy(lab[.proxyDigest].url), recorder: recorder
            ) { session async throws in
                let error = await #expect(throws: SessionError.self) { try await session.text(lab[origin].url) }
                guard case .proxy(.credentialRejected(let endpoint, [.digest])) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(endpoint.port == lab[.proxyDigest].port)
            }
            #expect(recorder.handlerChallenges.map(\.failureCount) == [0, 1])
        }
    }

    @Test("A proxy's credential with persistence none lasts through the origin's challenge")
    func oneRequestCredential() async throws {
        try await withLab { lab async throws in
            let origin = try await ScriptedServer.start { request in
                request.head.headerFields[.authorization] == nil
                    ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) : .init(.ok)
            }
            let credential = Credential.password(
                user: Lab.credentials.user, password: Secret(Lab.credentials.password), persistence: .none)
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(credential) }
            let before = lab.requestCount(.proxyDigest)
            try await withSession(
                lab, handlers: [.basic: handler, .digest: handler], proxy: Proxy(lab[.proxyDigest].url),
                recorder: recorder
            ) { session async throws in
                #expect(try await session.text("http://localhost:\(origin.port)/").status == 200)
            }
            await origin.stop()
            #expect(recorder.handlerChallenges.map(\.space.role) == [.proxy, .origin])
            #expect(lab.requestCount(.proxyDigest) - before == 3)
        }
    }

    @Test("The proxy and the origin may both challenge one request") func proxyAndOrigin() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                let kind: LabServer.Kind = challenge.space.role == .proxy ? .proxyDigest : .digestSHA256
                guard let credentials = lab[kind].credentials else { return .performDefault }
                return .use(.password(user: credentials.user, password: Secret(credentials.password)))
            }
            try await withSession(
                lab, handlers: [.digest: handler], proxy: Proxy(lab[.proxyDigest].url), recorder: recorder
            ) { session async throws in
                #expect(try await session.text(lab[.digestSHA256].url).status == 200)
            }
            #expect(recorder.handlerChallenges.map(\.space.role) == [.proxy, .origin])
        }
    }
}
