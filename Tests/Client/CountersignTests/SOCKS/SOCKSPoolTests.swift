// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import Countersign

/// A connection through a SOCKS proxy depends on the credential that the proxy received.
@Suite struct SOCKSPoolTests {
    private static func credential(
        _ password: String, _ persistence: Credential.Persistence = .session
    ) -> Credential {
        .password(user: "mary", password: Secret(password), persistence: persistence)
    }

    private func withServers(
        _ handlers: ChallengeHandlers, _ body: (HTTPSession, ScriptedServer, String) async throws -> Void
    ) async throws {
        let origin = try await ScriptedServer.start { _ in .init(.ok) }
        let server = try await ScriptedServer.startSOCKS(behind: .anyLogin)
        let configuration = HTTPSession.Configuration(
            handlers: handlers, proxy: try Proxy("socks5://127.0.0.1:\(server.port)"))
        try await withSession(configuration, stopping: [origin, server]) { session async throws in
            try await body(session, server, "http://localhost:\(origin.port)/")
        }
    }

    @Test(
        "A connection is reused as long as its credential is remembered",
        arguments: [(Credential.Persistence.session, 1), (.none, 3)])
    func persistence(persistence: Credential.Persistence, connections: Int) async throws {
        let handler: ClosureHandler = .closure { _ in .use(Self.credential("first", persistence)) }
        try await withServers([.socksPassword: handler]) { session, server, url async throws in
            for _ in 0..<3 { #expect(try await session.text(url).status == 200) }
            #expect(server.connectionCount == connections)
        }
    }

    @Test("A changed credential opens a new connection") func changedCredential() async throws {
        let handler: ClosureHandler = .closure { _ in .use(Self.credential("first")) }
        try await withServers([.socksPassword: handler]) { session, server, url async throws in
            #expect(try await session.text(url).status == 200)
            let proxy = try #require(session.core.configuration.proxy)
            let (memory, space) = (session.core.memory, Challenger(proxy: proxy).socksSpace)
            #expect(memory.proxyCredential(Challenger(proxy: proxy), own: nil) == Self.credential("first"))
            // Another request may have learned this credential.
            memory.remember(login: Self.credential("second"), in: space, own: nil)
            #expect(try await session.text(url).status == 200)
            #expect(server.connectionCount == 2)
            #expect(try await session.text(url).status == 200)
            #expect(server.connectionCount == 2)
            memory.forget(Self.credential("second"), in: space)
            #expect(try await session.text(url).status == 200)
            #expect(server.connectionCount == 3)
        }
    }
}
