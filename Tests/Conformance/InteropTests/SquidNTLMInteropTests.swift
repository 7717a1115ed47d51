// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

extension CountedInteropTests {
    /// Tests with squid as a proxy that requires NTLM, which pyspnego verifies.
    @Suite struct SquidNTLMInteropTests {
        /// MS-NLMP section 1.3.1: a connection needs two further messages, and later requests on it need none.
        @Test(
            "A connection is authenticated once",
            arguments: [
                (Squid.Server.ntlm, Apache.Server.plain, [407, 407, 200, 200, 200]), (.ntlm, .tls, [407, 407, 200]),
                (.tls, .plain, [407, 407, 200, 200, 200]), (.tls, .tls, [407, 407, 200]),
            ])
        func onceAConnection(proxy: Squid.Server, origin: Apache.Server, statuses: [Int]) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.account())
            let lines = try await squid.requests(to: proxy, expecting: statuses.count) {
                // NTLM with a proxy inside TLS needs no option.
                try await squid.withSession(
                    handlers: [.ntlm: handler], through: proxy, allowsNTLMOverPlainHTTP: proxy == .ntlm
                ) { session in
                    for _ in 0..<3 {
                        let (status, _) = try await session.text(of: apache, origin)
                        #expect(status == 200)
                    }
                }
            }
            #expect(lines.statuses == statuses)
            #expect(lines.connectionCount == 1)
            #expect(handler.challenges.map(\.space.role) == [.proxy])
        }

        @Test("A wrong password is sent once", arguments: [Apache.Server.plain, .tls])
        func wrongPassword(origin: Apache.Server) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.wrongAccount())
            let lines = try await squid.requests(to: .ntlm, expecting: 3) {
                try await squid.withSession(
                    handlers: [.ntlm: handler], through: .ntlm, allowsNTLMOverPlainHTTP: true
                ) { session in
                    do {
                        _ = try await session.text(of: apache, origin)
                        Issue.record("went through")
                    } catch SessionError.proxy(.credentialRejected(_, let methods)) {
                        #expect(methods == [.ntlm])
                    }
                }
            }
            #expect(lines.statuses == [407, 407, 407])
            #expect(handler.challenges.map(\.failureCount) == [0, 1])
        }

        @Test("Without the option no message is sent over plain HTTP") func plainHTTP() async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let handler = RecordingHandler(try squid.account())
            let lines = try await squid.requests(to: .ntlm, expecting: 1) {
                try await squid.withSession(handlers: [.ntlm: handler], through: .ntlm) { session in
                    do {
                        _ = try await session.text(of: apache, .tls)
                        Issue.record("went through")
                    } catch SessionError.authentication(.unanswerableChallenge(let space, .needsTLS)) {
                        #expect(space.role == .proxy)
                    }
                }
            }
            #expect(lines.statuses == [407])
            #expect(handler.challenges.isEmpty)
        }

        @Test(
            "squid may send a challenge by NTLM, and Apache by another method", arguments: [Apache.Server.plain, .tls],
            ["basic", "digest"])
        func otherMethods(origin: Apache.Server, place: String) async throws {
            let (squid, apache) = (try Squid(), try Apache())
            let (accounts, passwords) = (RecordingHandler(try squid.account()), RecordingHandler(try squid.password()))
            let handlers: ChallengeHandlers = [.ntlm: accounts, .basic: passwords, .digest: passwords]
            try await squid.withSession(handlers: handlers, through: .ntlm, allowsNTLMOverPlainHTTP: true) { session in
                for _ in 0..<2 {
                    let (status, _) = try await session.text(of: apache, origin, "/\(place)/page.txt")
                    #expect(status == 200)
                }
            }
            #expect(accounts.challenges.map(\.space.role) == [.proxy])
            #expect(passwords.challenges.map(\.space.role) == [.origin])
        }

        /// Two exchanges use one connection: the proxy's before the tunnel, and the origin's inside it.
        @Test(
            "An origin behind squid's tunnel may send a challenge by NTLM",
            arguments: [Squid.Server.basic, .digest, .ntlm, .tls])
        func originBehindTunnel(proxy: Squid.Server) async throws {
            let (squid, origin) = (try Squid(), try NTLMOrigin())
            let (accounts, passwords) = (RecordingHandler(try squid.account()), RecordingHandler(try squid.password()))
            let handlers: ChallengeHandlers = [.ntlm: accounts, .basic: passwords, .digest: passwords]
            try await squid.withSession(handlers: handlers, through: proxy, allowsNTLMOverPlainHTTP: true) { session in
                for _ in 0..<2 {
                    let (status, body) = try await session.text(of: origin, .tls)
                    #expect(status == 200)
                    #expect(body == "INTEROP\\alice\n")
                }
            }
            #expect((accounts.challenges + passwords.challenges).count { $0.space.role == .proxy } == 1)
            #expect(accounts.challenges.count { $0.space.role == .origin } == 1)
        }

        /// The origin's exchange can succeed only because squid pins the origin's connection to the client's.
        @Test("A plain origin behind squid may send a challenge by NTLM", arguments: [Squid.Server.basic, .ntlm])
        func plainOrigin(proxy: Squid.Server) async throws {
            let (squid, origin) = (try Squid(), try NTLMOrigin())
            let (accounts, passwords) = (RecordingHandler(try squid.account()), RecordingHandler(try squid.password()))
            let handlers: ChallengeHandlers = [.ntlm: accounts, .basic: passwords]
            try await squid.withSession(handlers: handlers, through: proxy, allowsNTLMOverPlainHTTP: true) { session in
                for _ in 0..<2 {
                    let (status, body) = try await session.text(of: origin, .plain)
                    #expect(status == 200)
                    #expect(body == "INTEROP\\alice\n")
                }
            }
        }

        /// nginx receives the body once, after squid has authenticated the connection and nginx the request.
        @Test("A one-shot upload waits for the proxy and the origin", arguments: [Nginx.Server.plain, .tls12])
        func oneShotUpload(server: Nginx.Server) async throws {
            let (squid, nginx, size) = (try Squid(), try Nginx(), 300_000)
            let handlers: ChallengeHandlers = [
                .ntlm: RecordingHandler(try squid.account()), .basic: RecordingHandler(try nginx.credential()),
            ]
            let lines = try await nginx.requests(to: server, expecting: 2) {
                try await squid.withSession(
                    handlers: handlers, through: .ntlm, allowsNTLMOverPlainHTTP: true
                ) { session in
                    let place = "/upload/\(UInt64.random(in: 0 ... .max))"
                    let status = try await session.put(.upload(size), to: nginx, server, place)
                    #expect(status == 201)
                }
            }
            #expect(lines.statuses == [401, 201])
            #expect(lines.map { $0.length > size } == [false, true])
        }
    }
}
