// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

extension CountedInteropTests {
    /// Tests with squid as a proxy that requires Basic or Digest; its log shows the number of requests.
    @Suite struct SquidInteropTests {
        private static let methods: [(Squid.Server, AuthenticationMethod)] = [(.basic, .basic), (.digest, .digest)]

        /// squid logs each request in absolute form, but does not see requests inside a tunnel.
        @Test(
            "After one challenge, later requests through squid need none", arguments: methods,
            [(Apache.Server.plain, [407, 200, 200, 200]), (.tls, [407, 200])])
        func requestCount(
            proxy: (server: Squid.Server, method: AuthenticationMethod),
            origin: (server: Apache.Server, statuses: [Int])
        ) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.password())
            let lines = try await squid.requests(to: proxy.server, expecting: origin.statuses.count) {
                try await squid.withSession(handlers: [proxy.method: handler], through: proxy.server) { session in
                    for _ in 0..<3 {
                        let (status, _) = try await session.text(of: apache, origin.server)
                        #expect(status == 200)
                    }
                }
            }
            #expect(lines.statuses == origin.statuses)
            #expect(handler.challenges.map(\.space.role) == [.proxy])
            #expect(handler.challenges.map(\.space.realm) == ["interop squid"])
        }

        @Test("A wrong password is sent once", arguments: methods, [Apache.Server.plain, .tls])
        func wrongPassword(
            proxy: (server: Squid.Server, method: AuthenticationMethod), origin: Apache.Server
        ) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.wrongPassword())
            let lines = try await squid.requests(to: proxy.server, expecting: 2) {
                try await squid.withSession(handlers: [proxy.method: handler], through: proxy.server) { session in
                    do {
                        _ = try await session.text(of: apache, origin)
                        Issue.record("went through")
                    } catch SessionError.proxy(.credentialRejected(_, let methods)) {
                        #expect(methods == [proxy.method])
                    }
                }
            }
            #expect(lines.statuses == [407, 407])
            #expect(handler.challenges.map(\.failureCount) == [0, 1])
        }

        @Test(
            "squid and Apache may send challenges by different methods", arguments: methods,
            [Apache.Server.plain, .tls])
        func proxyAndOrigin(
            proxy: (server: Squid.Server, method: AuthenticationMethod), origin: Apache.Server
        ) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let (path, method): (String, AuthenticationMethod) =
                proxy.method == .basic ? ("/digest/page.txt", .digest) : ("/basic/page.txt", .basic)
            let handler = RecordingHandler(try squid.password())
            let handlers: ChallengeHandlers = [.basic: handler, .digest: handler]
            try await squid.withSession(handlers: handlers, through: proxy.server) { session in
                let (status, _) = try await session.text(of: apache, origin, path)
                #expect(status == 200)
            }
            #expect(handler.challenges.map(\.space.role) == [.proxy, .origin])
            #expect(handler.challenges.map(\.space.method) == [proxy.method, method])
        }

        /// RFC 9110 section 11.6.1: squid lists Basic last, but the order does not matter for the client's choice.
        @Test("Of three methods inside TLS the strongest is used", arguments: [Apache.Server.plain, .tls])
        func strongestMethod(origin: Apache.Server) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.password())
            let handlers: ChallengeHandlers = [.basic: handler, .digest: handler, .ntlm: handler]
            try await squid.withSession(handlers: handlers, through: .tls) { session in
                let (status, _) = try await session.text(of: apache, origin)
                #expect(status == 200)
            }
            #expect(handler.challenges.map(\.space.method) == [.digest])
        }
    }
}
