// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

@Suite(.interop) struct ProxyInteropTests {
    private static let proxies: [(Apache.Server, AuthenticationMethod)] = [
        (.proxyBasic, .basic), (.proxyDigest, .digest),
    ]

    @Test("A proxy sends one challenge for several requests", arguments: proxies, [Apache.Server.plain, .tls])
    func proxy(
        proxy: (server: Apache.Server, method: AuthenticationMethod), origin: Apache.Server
    ) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(try apache.password())
        try await apache.withSession(handlers: [proxy.method: handler], through: proxy.server) { session in
            for _ in 0..<3 {
                let (status, _) = try await session.text(of: apache, origin)
                #expect(status == 200)
            }
        }
        #expect(handler.challenges.map(\.space.role) == [.proxy])
    }

    @Test("A wrong password is sent to a proxy once", arguments: proxies, [Apache.Server.plain, .tls])
    func wrongPassword(
        proxy: (server: Apache.Server, method: AuthenticationMethod), origin: Apache.Server
    ) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(try apache.wrongPassword())
        try await apache.withSession(handlers: [proxy.method: handler], through: proxy.server) { session in
            do {
                _ = try await session.text(of: apache, origin)
                Issue.record("went through")
            } catch SessionError.proxy(.credentialRejected(_, let methods)) {
                #expect(methods == [proxy.method])
            }
        }
        #expect(handler.challenges.map(\.failureCount) == [0, 1])
    }

    @Test("The proxy and the origin may both send challenges", arguments: proxies, [Apache.Server.plain, .tls])
    func proxyAndOrigin(
        proxy: (server: Apache.Server, method: AuthenticationMethod), origin: Apache.Server
    ) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(try apache.password())
        let handlers: ChallengeHandlers = [.basic: handler, .digest: handler]
        try await apache.withSession(handlers: handlers, through: proxy.server) { session in
            let (status, _) = try await session.text(of: apache, origin, "/digest/page.txt")
            #expect(status == 200)
        }
        #expect(handler.challenges.map(\.space.role) == [.proxy, .origin])
    }
}
