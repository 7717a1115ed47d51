// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import Countersign
import ErrorExplanations
import TestServer
import Testing

/// The order in which waiting requests receive connections, and the limits on connections.
@Suite struct PoolLimitTests {
    private static let policy = TrustPolicy(anchors: .only([]))

    private static func configuration(perRoute: Int = 8, total: Int = 64) -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.connectionLimits.perRoute = perRoute
        configuration.connectionLimits.total = total
        configuration.poolTimeout = .seconds(50)
        return configuration
    }

    /// If a wake-up were lost, a request would wait until its timeout.
    @Test("Each waiting request is served within the limit of its route", .timeLimit(.minutes(1)), arguments: [1, 3])
    func routeLimit(limit: Int) async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok, body: "x") }
        try await withSession(Self.configuration(perRoute: limit), stopping: [server]) { session async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<300 { group.addTask { try await session.text("http://localhost:\(server.port)/").status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.connectionCount <= limit)
        }
    }

    @Test("Routes share the last connection that the total limit permits", .timeLimit(.minutes(1)))
    func totalLimit() async throws {
        var servers: [ScriptedServer] = []
        for _ in 0..<4 { servers.append(try await ScriptedServer.start { _ in .init(.ok, body: "x") }) }
        let urls = servers.map { "http://localhost:\($0.port)/" }
        try await withSession(Self.configuration(total: 1), stopping: servers) { session async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<80 { group.addTask { try await session.text(urls[number % urls.count]).status } }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test("A request that waits longer than the pool timeout fails") func poolTimeout() async throws {
        try await withHTTP2 { _ in
            [.awaitRequests(2)]
        } _: { busy, _ in
            var configuration = Self.configuration(total: 1)
            configuration.poolTimeout = .milliseconds(200)
            configuration.policies.fallback.trust = TrustPolicy(anchors: .only([busy.authority]))
            try await withSession(configuration) { session async throws in
                let first = Task { try await session.get(busy.url) }
                #expect(await eventually { busy.requestCount == 1 })
                do {
                    _ = try await session.get("http://localhost:\(busy.port)/")
                    Issue.record("nothing was thrown")
                } catch SessionError.limit(.noConnectionFree(let endpoint, let waited)) {
                    #expect(endpoint.port == busy.port)
                    #expect(waited == .milliseconds(200))
                }
                first.cancel()
                _ = await first.result
            }
        }
    }

    /// A request that starts after the handshake timeout opens another connection, which is likely for few of them only.
    @Test("Simultaneous requests to a server that does not answer fail with the same attempt", .timeLimit(.minutes(1)))
    func silentServer() async throws {
        try await TestServer.with(Array(repeating: [.receive(1), .receiveRest], count: 10)) { server async throws in
            var configuration = Self.configuration()
            configuration.handshakeTimeout = .seconds(1)
            try await withSession(configuration) { session async throws in
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            let error = await #expect(throws: SessionError.self) {
                                _ = try await session.get("https://localhost:\(server.port)/")
                            }
                            #expect(error?.code == "limit.idle-time")
                        }
                    }
                }
            }
            #expect(server.connectionCount < 5)
        }
    }

    @Test("A request that waits for the first connection until the pool timeout is told that none was opened")
    func openingTimeout() async throws {
        try await TestServer.with([[.receive(1), .receiveRest]]) { server async throws in
            var configuration = Self.configuration()
            configuration.poolTimeout = .milliseconds(200)
            try await withSession(configuration) { session async throws in
                let url = "https://localhost:\(server.port)/"
                let first = Task { try await session.get(url) }
                #expect(await eventually { server.connectionCount == 1 })
                let error = await #expect(throws: SessionError.self) { _ = try await session.get(url) }
                #expect(error?.code == "limit.opening-time")
                #expect(error?.peer?.port == server.port)
                first.cancel()
                _ = await first.result
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// An idle HTTP/2 connection stays open unless another route waits for a connection.
    @Test("An idle HTTP/2 connection closes if another route waits for a connection", .timeLimit(.minutes(1)))
    func idleHTTP2() async throws {
        let other = try await ScriptedServer.start { _ in .init(.ok, body: "x") }
        try await withHTTP2(
            change: {
                $0.connectionLimits.total = 1
                $0.poolTimeout = .seconds(50)
            },
            script: { request in
                request.path == "/first" ? [.awaitRequests(2), .respond(200)] : [.respond(200)]
            }
        ) { server, session async throws in
            let first = Task { try await session.get(server.url + "first").status }
            #expect(await eventually { server.requestCount == 1 })
            let waiting = Task { try await session.text("http://localhost:\(other.port)/").status }
            // The pause makes it likely that the request waits; the test is valid even if it does not.
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await session.get(server.url).status == .ok)
            #expect(try await first.value == .ok)
            #expect(try await waiting.value == 200)
            #expect(await eventually { server.openConnectionCount == 0 })
        }
        await other.stop()
    }

    /// Trust that was accepted for one request does not apply to another, even in parallel.
    @Test(
        "Parallel requests share a connection only if its trust is remembered", .timeLimit(.minutes(1)),
        arguments: [(Credential.Persistence.none, 2), (.session, 1)])
    func trustSharing(persistence: Credential.Persistence, connections: Int) async throws {
        try await withHTTP2(
            change: { configuration in
                configuration.policies.fallback.trust = Self.policy
                configuration.handlers[.serverTrust] = Recorder().handler { challenge in
                    guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                    return .use(.serverTrust(chain, persistence: persistence))
                }
            },
            script: { request in
                request.path == "/first" ? [.awaitRequests(2), .respond(200)] : [.respond(200)]
            }
        ) { server, session async throws in
            let first = Task { try await session.get(server.url + "first").status }
            #expect(await eventually { server.requestCount == 1 })
            #expect(try await session.get(server.url).status == .ok)
            #expect(try await first.value == .ok)
            #expect(server.connectionCount == connections)
        }
    }

    /// A caller's field that authenticates a connection must not use a shared connection (RFC 9113 has no such fields).
    @Test(
        "An Authorization field for NTLM or Negotiate is not sent over a shared HTTP/2 connection",
        arguments: ["NTLM TlRMTVNTUAAB", "Negotiate YII="])
    func connectionBound(answer: String) async throws {
        try await withHTTP2(offering: ["h2", "http/1.1"]) { _ in
            [.respond(200)]
        } _: { server, session async throws in
            #expect(try await session.get(server.url).status == .ok)
            var request = SessionRequest(url: server.url)
            request.headerFields[.authorization] = answer
            // The server uses HTTP/2 whatever protocol was negotiated.
            await #expect(throws: SessionError.self) { _ = try await session.send(request) }
            #expect(server.requestCount == 1)
            #expect(server.connectionCount == 2)
        }
    }
}
