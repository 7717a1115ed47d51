// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import TestServer
import Testing

/// After each request, its connection must be in the pool or closed, which the server counts.
@Suite struct ConnectionLeakTests {
    private static func with(
        _ handlers: ChallengeHandlers = [:],
        reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply,
        _ body: (ScriptedServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(reply)
        let session = HTTPSession(.init(handlers: handlers))
        do {
            try await body(server, session, "http://localhost:\(server.port)/")
        } catch {
            Issue.record(error)
        }
        await session.close()
        #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
        await server.stop()
    }

    @Test("A credential that the scheme cannot send leaves no connection open") func failedAnswer() async throws {
        // RFC 7617 section 2 forbids a colon in a user name.
        let handlers: ChallengeHandlers = [
            .basic: .closure { _ in .use(.password(user: "a:b", password: Secret("c"))) }
        ]
        try await Self.with(handlers) { _ in
            .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        } _: { server, session, url async throws in
            for _ in 0..<3 {
                await #expect(throws: SessionError.self) { try await session.get(url) }
            }
            #expect(await eventually { server.openConnectionCount == 0 })
        }
    }

    /// The first body fits into the read-ahead limit, the second does not.
    @Test("An unread body leaves no connection open", arguments: [(10, 1), (64 << 20, 3)])
    func unreadBody(size: Int, connections: Int) async throws {
        try await Self.with { _ in
            .init(.ok, body: [UInt8](repeating: 0x2E, count: size))
        } _: { server, session, url async throws in
            for _ in 0..<3 {
                let status = try await session.get(url).status
                #expect(status == .ok)
                // The end of a small body is read ahead asynchronously.
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(server.connectionCount == connections)
            if connections > 1 { #expect(await eventually { server.openConnectionCount == 0 }) }
        }
    }

    @Test("Cancelled requests leave no connection open") func cancellation() async throws {
        try await Self.with { _ in
            .silence
        } _: { server, session, url async throws in
            let waiting = (0..<8).map { _ in Task { try await session.get(url).status } }
            #expect(await eventually { server.requestCount == 8 })
            waiting.forEach { $0.cancel() }
            for one in waiting {
                await #expect(throws: CancellationError.self) { try await one.value }
            }
            #expect(await eventually { server.openConnectionCount == 0 })
        }
    }

    /// The client must not take the unrequested response for the response to its next request.
    @Test("A response without a request closes its connection") func unsolicitedResponse() async throws {
        let server = try await TestServer.start([
            [
                .receiveHead,
                .send("HTTP/1.1 200 OK", "Content-Length: 0", "", "HTTP/1.1 200 OK", "Content-Length: 6", "", "forged"),
                .receiveRest,
            ],
            [.receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 6", "", "honest"), .receiveRest],
        ])
        let session = HTTPSession()
        #expect(try await session.text(server.url()).body == "")
        try await Task.sleep(for: .milliseconds(200))
        let response = try await session.send(SessionRequest(url: server.url(), method: .post, body: .bytes([1])))
        #expect(String(buffer: try await response.body.collect(upTo: 100)).hasPrefix("honest"))
        #expect(server.connectionCount == 2)
        await session.close()
        await server.stop()
    }
}
