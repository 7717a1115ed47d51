// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import ErrorExplanations
import HTTPTypes
import NIOCore
import TestServer
import Testing

@Suite struct GracefulCloseTests {
    /// Waits until a session refuses new requests.
    private func waitForRefusal(by session: HTTPSession, _ url: String) async throws {
        while true {
            do {
                _ = try await session.text(url)
            } catch SessionError.cancelled(.sessionClosed) {
                return
            }
        }
    }

    @Test("A graceful close refuses new requests and lets a running one end") func graceful() async throws {
        let length = 16 << 20
        let server = try await ScriptedServer.start { request in
            .init(.ok, body: [UInt8](repeating: 7, count: request.head.path == "/large" ? length : 1))
        }
        let url = "http://localhost:\(server.port)/"
        let session = HTTPSession()
        let response = try await session.get(url + "large")
        async let closing: Void = session.closeGracefully()
        try await waitForRefusal(by: session, url)
        #expect(try await response.body.collect(upTo: length).readableBytes == length)
        await closing
        await #expect(throws: SessionError.self) { try await session.get(url) }
        await server.stop()
    }

    @Test("A graceful close fails the requests that are still running after the timeout") func timeout() async throws {
        let server = try await ScriptedServer.start { _ in .silence }
        var configuration = HTTPSession.Configuration()
        configuration.shutdownTimeout = .milliseconds(50)
        let session = HTTPSession(configuration)
        let task = Task { try await session.get("http://localhost:\(server.port)/") }
        #expect(await eventually { server.requestCount == 1 })
        await session.closeGracefully()
        let error = await #expect(throws: SessionError.self) { _ = try await task.value }
        #expect(error?.code == "cancellation.session-closed")
        await server.stop()
    }

    @Test(
        "A body that a graceful close cuts off fails because of the session, with and without an announced length",
        arguments: [["Content-Length: 100"], ["Transfer-Encoding: chunked"], ["Connection: close"]])
    func body(fields: [String]) async throws {
        let head = ["HTTP/1.1 200 OK"] + fields + ["", ""]
        let reply = Array(head.joined(separator: "\r\n").utf8)
        try await TestServer.with([[.receiveHead, .send(reply), .receiveRest]]) { server async throws in
            var configuration = HTTPSession.Configuration()
            configuration.shutdownTimeout = .milliseconds(50)
            let session = HTTPSession(configuration)
            let response = try await session.get(server.url())
            let reading = Task { try await response.body.collect(upTo: 100) }
            await session.closeGracefully()
            let error = await #expect(throws: SessionError.self) { _ = try await reading.value }
            #expect(error?.code == "cancellation.session-closed")
        }
    }

    @Test("A request over HTTP/2 that a graceful close ends fails because of the session") func http2() async throws {
        try await withHTTP2(change: { $0.shutdownTimeout = .milliseconds(50) }) { _ in
            [.awaitRequests(2)]
        } _: { server, session async throws in
            let task = Task { try await session.get(server.url) }
            #expect(await eventually { server.requestCount == 1 })
            await session.closeGracefully()
            let error = await #expect(throws: SessionError.self) { _ = try await task.value }
            #expect(error?.code == "cancellation.session-closed")
        }
    }

    @Test("A cancelled graceful close closes the session at once") func cancelled() async throws {
        let server = try await ScriptedServer.start { _ in .silence }
        var configuration = HTTPSession.Configuration()
        configuration.shutdownTimeout = .seconds(3_600)
        let session = HTTPSession(configuration)
        let request = Task { try await session.get("http://localhost:\(server.port)/") }
        #expect(await eventually { server.requestCount == 1 })
        let closing = Task { await session.closeGracefully() }
        closing.cancel()
        await closing.value
        let error = await #expect(throws: SessionError.self) { _ = try await request.value }
        #expect(error?.code == "cancellation.session-closed")
        await server.stop()
    }
}
