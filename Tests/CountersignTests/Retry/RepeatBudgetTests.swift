// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOHTTP2
import Testing

@testable import Countersign

@Suite("Repeats and retries of one request have one bound") struct RepeatBudgetTests {
    @Test(
        "A server that processes nothing gets 1 + 4 + attempts requests",
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
            // Every request is refused twice before it is redirected to the next page.
            request.number % 3 == 0 ? [.respond(302, [("location", "/\(request.number)")])] : [.reset(.refusedStream)]
        } _: { server, session async throws in
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount == 3 + 3 + 1)
        }
    }

    @Test("A request whose pooled connection is lost goes over a new one, however many idle ones there are")
    func pooledConnections() async throws {
        let idle: WireServer.Script = { wire in
            _ = try await wire.head()
            try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "")
            _ = try await wire.head()
        }
        let count = RepeatBudget.limit + 2
        let server = try await WireServer.start(
            Array(repeating: idle, count: count) + [
                { wire in
                    let head = try await wire.head()
                    try await wire.send("HTTP/1.1 200 OK", "Content-Length: \(head.utf8.count)", "")
                    try await wire.send(bytes: Array(head.utf8))
                }
            ])
        try await withSession(Session.Configuration()) { session async throws in
            try await withThrowingTaskGroup { group in
                for _ in 1...count { group.addTask { try await session.get(server.url()) } }
                // All responses are held until the last one is there, so that each has a connection.
                var responses: [Response] = []
                for try await response in group { responses.append(response) }
                #expect(responses.count == count)
            }
            #expect(try await session.get(server.url("/late")).text().hasPrefix("GET /late "))
            #expect(server.connectionCount <= count + 1)
        }
        await server.stop()
    }

    @Test("A pooled connection of HTTP/2 that is lost again and again uses the budget up")
    func sharedConnections() async throws {
        try await withHTTP2 { _ in
            [.close]
        } _: { server, session async throws in
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount <= 1 + RepeatBudget.limit)
        }
    }
}
