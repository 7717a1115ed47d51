// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2
import TestServer
import Testing

/// Requests of a session over HTTP/2 (RFC 9113).
@Suite struct HTTP2Tests {
    private static let echo: HTTP2Server.Script = { request in
        [.respond(200, [("content-type", "text/plain")], body: Array(request.path.utf8) + request.body)]
    }

    @Test("Parallel requests share one connection") func sharedConnection() async throws {
        try await withHTTP2(settings: [HTTP2Setting(parameter: .maxConcurrentStreams, value: 100)]) { _ in
            // The server answers no request before all have arrived.
            [.awaitRequests(20), .respond(200, body: [1])]
        } _: { server, session in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let response = try await session.get(server.url)
                        #expect(response.connection.httpVersion == .http2)
                        return try await response.body.collect(upTo: 10).readableBytes
                    }
                }
                for try await size in group { #expect(size == 1) }
            }
            #expect(server.connectionCount == 1)
            #expect(server.requestCount == 20)
        }
    }

    @Test("Requests over the server's stream limit wait or use another connection") func streamLimit() async throws {
        try await withHTTP2(
            settings: [HTTP2Setting(parameter: .maxConcurrentStreams, value: 2)],
            change: { $0.connectionLimits.perRoute = 2 }, script: Self.echo
        ) { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let response = try await session.get(server.url)
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect((1...2).contains(server.connectionCount))
        }
    }

    @Test("Fields and bodies are sent and received, without connection-specific fields") func exchange() async throws {
        try await withHTTP2(script: Self.echo) { server, session in
            var request = SessionRequest(url: server.url + "a?b=c", method: .post, body: .bytes(Array("body".utf8)))
            request.headerFields[.connection] = "close, X-Hop"
            request.headerFields[HTTPField.Name("X-Hop")!] = "1"
            let response = try await session.send(request)
            #expect(response.headerFields[.contentType] == "text/plain")
            #expect(try await String(buffer: response.body.collect(upTo: 100)) == "/a?b=cbody")
        }
    }

    @Test("A body that is larger than each window is sent and received") func flowControl() async throws {
        let size = 5 << 20
        try await withHTTP2 { request in
            [.respond(200, body: request.body)]
        } _: { server, session in
            let parts = AsyncStream<ByteBuffer> { parts in
                for _ in 0..<(size >> 16) { parts.yield(ByteBuffer(repeating: 7, count: 1 << 16)) }
                parts.finish()
            }
            let response = try await session.send(
                SessionRequest(url: server.url, method: .put, body: .oneShot(parts)))
            #expect(try await response.body.collect(upTo: size).readableBytes == size)
        }
    }

    @Test(
        "A request that the server did not process is sent again, whatever its method",
        arguments: [HTTP2Server.Action.reset(.refusedStream), .goAwayBefore])
    func notProcessed(action: HTTP2Server.Action) async throws {
        try await withHTTP2 { request in
            request.number == 2 ? [action] : [.respond(200, body: request.body)]
        } _: { server, session in
            _ = try await session.get(server.url)
            let response = try await session.send(
                SessionRequest(url: server.url, method: .post, body: .bytes([1, 2, 3])))
            #expect(try await response.body.collect(upTo: 10).readableBytes == 3)
            #expect(server.requestCount == 3)
        }
    }

    @Test("A request fails after four repeats if the server refuses each stream") func refusedAlways() async throws {
        try await withHTTP2 { _ in
            [.reset(.refusedStream)]
        } _: { server, session in
            do {
                _ = try await session.get(server.url)
                Issue.record("nothing was thrown")
            } catch SessionError.response(.streamReset(_, .refused)) {
                #expect(server.requestCount == 1 + 4)
            }
        }
    }

    @Test("A reset stream is an error, and its request is not sent again") func reset() async throws {
        try await withHTTP2 { _ in
            [.reset(.internalError)]
        } _: { server, session in
            do {
                _ = try await session.get(server.url)
                Issue.record("nothing was thrown")
            } catch SessionError.response(.streamReset(_, let reset)) {
                #expect(reset.code == 2)
                #expect(server.requestCount == 1)
            }
        }
    }

    @Test("After GOAWAY another connection is opened, and the first one closes") func goAway() async throws {
        try await withHTTP2 { request in
            request.number == 1 ? [.goAwayAfter, .respond(200, body: [1])] : [.respond(200, body: [2])]
        } _: { server, session in
            let first = try await session.get(server.url)
            #expect(try await first.body.collect(upTo: 10).readableBytes == 1)
            let second = try await session.get(server.url)
            #expect(try await second.body.collect(upTo: 10).readableBytes == 1)
            #expect(server.connectionCount == 2)
            #expect(await eventually { server.openConnectionCount == 1 })
        }
    }

    @Test("A connection that was lost while idle is replaced") func lostIdle() async throws {
        try await withHTTP2 { request in
            request.number == 2 ? [.close] : [.respond(200, body: [1])]
        } _: { server, session in
            _ = try await session.get(server.url)
            let again = try await session.get(server.url)
            #expect(again.status == .ok)
            #expect(server.requestCount == 3)
        }
    }

    @Test("Cancelling a request leaves the connection to the other requests") func cancellation() async throws {
        try await withHTTP2 { request in
            request.path == "/never" ? [.awaitRequests(1000)] : [.respond(200, body: [1])]
        } _: { server, session in
            let waiting = Task { try await session.get(server.url + "never") }
            #expect(await eventually { server.requestCount == 1 })
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
            let other = try await session.get(server.url)
            #expect(other.status == .ok)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A request that is cancelled before it starts opens no connection") func cancelledEarly() async throws {
        try await withHTTP2(script: Self.echo) { server, session in
            _ = try await session.get(server.url)
            for _ in 0..<10 {
                let cancelled = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await session.get(server.url)
                }
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                _ = try await session.get(server.url)
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// Frames for the cancelled streams that are still in transit must not count as an error of the server.
    @Test("Many requests that are cancelled together do not fail the connection")
    func manyCancellations() async throws {
        let many = 80
        try await withHTTP2 { request in
            switch request.path {
            case "/many": [.awaitRequests(many), .holdOutput, .respond(200), .awaitRequests(many + 1), .resumeOutput]
            default: [.respond(200, body: [1])]
            }
        } _: { server, session in
            let requests = (0..<many).map { _ in Task { try await session.get(server.url + "many") } }
            #expect(await eventually { server.requestCount == many })
            for request in requests { request.cancel() }
            for request in requests { _ = await request.result }
            let trust = TrustPolicy(anchors: .only([server.authority]))
            try await withSession(HTTPSession.Configuration(trust: trust)) { other in
                _ = try await other.get(server.url)
            }
            #expect(try await session.get(server.url).status == .ok)
            #expect(server.connectionCount == 2)
        }
    }

    /// Frames that are held back for unread bodies must not count as a flood.
    @Test("Many bodies that wait for their readers do not fail the connection") func unreadBodies() async throws {
        let (many, size) = (24, 2 << 20)
        try await withHTTP2 { _ in
            [.awaitRequests(many), .respond(200, body: Array(repeating: 1, count: size))]
        } _: { server, session in
            let requests = (0..<many).map { _ in Task { try await session.get(server.url) } }
            var responses: [SessionResponse] = []
            for request in requests { responses.append(try await request.value) }
            try await Task.sleep(for: .seconds(1))
            for response in responses {
                #expect(try await response.body.collect(upTo: size).readableBytes == size)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("After HTTP_1_1_REQUIRED, the request uses an HTTP/1.1 connection") func http11Required() async throws {
        try await withHTTP2 { _ in
            [.reset(.http11Required)]
        } _: { server, session in
            // The server answers the second connection with HTTP/2 too, although HTTP/1.1 was negotiated.
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount == 1)
            #expect(server.connectionCount == 2)
        }
    }

    @Test("HTTP/2 is not used if the configuration allows only HTTP/1.1") func onlyHTTP1() async throws {
        try await withHTTP2(
            offering: ["h2", "http/1.1"], change: { $0.httpVersions = .onlyHTTP1 }, script: Self.echo
        ) { server, session in
            await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            #expect(server.requestCount == 0)
        }
    }

    @Test(
        "If only HTTP/2 is allowed, the error names a server that does not negotiate it by ALPN",
        arguments: [["http/1.1"], []])
    func notOffered(protocols: [String]) async throws {
        try await withHTTP2(
            offering: protocols, change: { $0.httpVersions = .onlyHTTP2 }, script: Self.echo
        ) { server, session in
            await Self.expectNotOffered(.onlyHTTP2) { _ = try await session.get(server.url) }
        }
    }

    @Test(
        "The error for the alert no_application_protocol names the offered versions",
        arguments: [HTTPSession.HTTPVersions.all, .onlyHTTP1, .onlyHTTP2])
    func noApplicationProtocol(versions: HTTPSession.HTTPVersions) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpVersions = versions
        try await TestServer.with([[.receive(5), .send([0x15, 3, 3, 0, 2, 2, 120]), .close]]) { server async throws in
            try await withSession(configuration) { session async throws in
                await Self.expectNotOffered(versions) { _ = try await session.get("https://127.0.0.1:\(server.port)/") }
            }
        }
    }

    @Test(
        "A plain HTTP server with another answer to the preface does not offer HTTP/2",
        arguments: ["HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "<html>Bad Request</html>"])
    func noHTTP2InPlainText(answer: String) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpVersions = .onlyHTTP2
        try await TestServer.with([[.receive(24), .send(Array(answer.utf8)), .close]]) { server async throws in
            try await withSession(configuration) { session async throws in
                await Self.expectNotOffered(.onlyHTTP2) {
                    _ = try await session.get("http://127.0.0.1:\(server.port)/")
                }
            }
        }
    }

    private static func expectNotOffered(
        _ versions: HTTPSession.HTTPVersions, _ work: () async throws -> Void
    ) async {
        do {
            try await work()
            Issue.record("nothing was thrown")
        } catch SessionError.connection(.httpVersionNotOffered(_, let wanted)) {
            #expect(wanted == versions)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("An idle connection closes after the keep-alive timeout") func keepAliveTimeout() async throws {
        try await withHTTP2(
            change: { $0.connectionLimits.keepAliveTimeout = .milliseconds(100) }, script: Self.echo
        ) { server, session in
            _ = try await session.get(server.url)
            #expect(await eventually { server.openConnectionCount == 0 })
        }
    }
}
