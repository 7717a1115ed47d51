// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOHTTP2
import Secrets
import TestServer
import Testing

@testable import Countersign

@Suite("Repeats and retries of a request share one limit") struct RepeatBudgetTests {
    @Test(
        "A server that processes nothing receives 1 + 4 + attempts requests",
        arguments: [HTTP2Server.Action.goAwayBefore, .reset(.refusedStream)], [0, 2])
    func nothingProcessed(action: HTTP2Server.Action, attempts: Int) async throws {
        try await withHTTP2 {
            $0.retries = .upTo(attempts, firstDelay: .zero)
        } script: { _ in
            [action]
        } _: { server, session async throws in
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount == 1 + RepeatBudget.limit + attempts)
        }
    }

    @Test("The budget is shared by all redirects of a request")
    func redirects() async throws {
        try await withHTTP2 { request in
            // The server refuses every request twice before it redirects the request to the next page.
            request.number % 3 == 0 ? [.respond(302, [("location", "/\(request.number)")])] : [.reset(.refusedStream)]
        } _: { server, session async throws in
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount == 3 + 3 + 1)
        }
    }

    @Test("A request whose pooled connection is lost uses a new connection, not another idle one")
    func pooledConnections() async throws {
        let idle: [TestServer.Behavior] = [
            .receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 0", ""), .receiveHead, .close,
        ]
        let count = RepeatBudget.limit + 2
        let server = try await TestServer.start(
            Array(repeating: idle, count: count) + [
                [
                    .script { wire in
                        let head = try await wire.head()
                        try await wire.send("HTTP/1.1 200 OK", "Content-Length: \(head.utf8.count)", "")
                        try await wire.send(bytes: Array(head.utf8))
                    }
                ]
            ])
        try await withSession(HTTPSession.Configuration()) { session async throws in
            try await withThrowingTaskGroup { group in
                for _ in 1...count { group.addTask { try await session.get(server.url()) } }
                // The responses are held until all have arrived, so that each has a connection.
                var responses: [SessionResponse] = []
                for try await response in group { responses.append(response) }
                #expect(responses.count == count)
            }
            #expect(try await session.get(server.url("/late")).text().hasPrefix("GET /late "))
            #expect(server.connectionCount <= count + 1)
        }
        await server.stop()
    }

    @Test("Repeated losses of pooled HTTP/2 connections use up the budget")
    func sharedConnections() async throws {
        // Each connection serves one request and is lost with the second one.
        try await withHTTP2 { request in
            request.number.isMultiple(of: 2) ? [.close] : [.respond(200, [])]
        } _: { server, session async throws in
            _ = try await session.get(server.url)
            // The lost request is repeated over a new connection, which answers it.
            #expect(try await session.get(server.url).status == .ok)
            #expect(server.requestCount == 3)
            #expect(server.connectionCount == 2)
        }
        // The first connection serves one request; every later connection is lost with each request.
        try await withHTTP2 { request in
            request.number == 1 ? [.respond(200, [])] : [.close]
        } _: { server, session async throws in
            _ = try await session.get(server.url)
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            // The repeat uses a new connection, whose loss is an error.
            #expect(server.requestCount == 3)
        }
    }

    @Test("After a repeat, the response to a challenge uses the challenged connection")
    func challengeAfterRepeat() async throws {
        let server = try await TestServer.start([
            [.receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 0", ""), .receiveHead, .close],
            [
                .receiveHead,
                .send("HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Basic realm=\"r\"", "Content-Length: 0", ""),
                .script { wire in
                    let isAnswered = try await wire.head().lowercased().contains("authorization: basic")
                    try await wire.send("HTTP/1.1 \(isAnswered ? "200 OK" : "403 Forbidden")", "Content-Length: 0", "")
                },
            ],
        ])
        try await withSession(HTTPSession.Configuration()) { session async throws in
            _ = try await session.get(server.url())
            let request = SessionRequest.get(server.url()).credential(.password(user: "u", password: Secret("p")))
            #expect(try await session.send(request).status == .ok)
            #expect(server.connectionCount == 2)
        }
        await server.stop()
    }
}
