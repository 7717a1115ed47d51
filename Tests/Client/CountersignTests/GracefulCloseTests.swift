// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
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
        await #expect(throws: SessionError.self) { _ = try await task.value }
        await server.stop()
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
        await #expect(throws: SessionError.self) { _ = try await request.value }
        await server.stop()
    }
}
