// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import TestServer
import Testing

/// Retries over real connections.
@Suite struct RetryTests {
    private static let quick = SessionRetryPolicy.upTo(3, firstDelay: .milliseconds(1))

    /// Responds to the first requests with a status, and to all others with their own body.
    private static func server(
        refusing count: Int, with status: HTTPResponse.Status = .serviceUnavailable, _ fields: HTTPFields = [:]
    ) async throws -> ScriptedServer {
        let served = NIOLockedValueBox(0)
        return try await ScriptedServer.start { request in
            let number = served.withLockedValue { served in
                served += 1
                return served
            }
            return number <= count ? .init(status, fields, body: "busy") : .init(.ok, body: request.body)
        }
    }

    private static func configuration(_ policy: SessionRetryPolicy, _ recorder: Recorder = Recorder())
        -> HTTPSession.Configuration
    {
        var configuration = HTTPSession.Configuration()
        configuration.retries = policy
        configuration.observer = recorder.note
        return configuration
    }

    @Test("A request to a busy server is retried with its body") func busyServer() async throws {
        let server = try await Self.server(refusing: 2, with: .tooManyRequests, [.retryAfter: "0"])
        let recorder = Recorder()
        try await withSession(Self.configuration(Self.quick, recorder), stopping: [server]) { session async throws in
            let request = SessionRequest(
                url: "http://localhost:\(server.port)/", method: .put, body: .bytes(Array("body".utf8)))
            let response = try await session.send(request)
            #expect(response.status == .ok)
            #expect(String(buffer: try await response.body.collect(upTo: 100)) == "body")
        }
        #expect(server.requestCount == 3)
        #expect(recorder.retries == 2)
        #expect(recorder.printed.contains("retrying"))
    }

    @Test("The number of retries is limited") func limit() async throws {
        let server = try await Self.server(refusing: 100)
        try await withSession(Self.configuration(Self.quick), stopping: [server]) { session async throws in
            let answer = try await session.text("http://localhost:\(server.port)/")
            #expect(answer == (503, "busy"))
        }
        #expect(server.requestCount == 4)
    }

    @Test("A response whose Retry-After is too long is delivered") func longWait() async throws {
        let server = try await Self.server(refusing: 1, with: .serviceUnavailable, [.retryAfter: "3600"])
        try await withSession(Self.configuration(Self.quick), stopping: [server]) { session async throws in
            #expect(try await session.text("http://localhost:\(server.port)/").status == 503)
        }
        #expect(server.requestCount == 1)
    }

    @Test("Without a policy a 503 response is delivered") func noPolicy() async throws {
        let server = try await Self.server(refusing: 1)
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            #expect(try await session.text("http://localhost:\(server.port)/").status == 503)
        }
        #expect(server.requestCount == 1)
    }

    @Test("A request whose body cannot be repeated is not retried") func oneShotBody() async throws {
        let server = try await Self.server(refusing: 1)
        let parts = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(string: "once"))
            continuation.finish()
        }
        var configuration = Self.configuration(Self.quick)
        configuration.continueTimeout = .milliseconds(10)
        try await withSession(configuration, stopping: [server]) { session async throws in
            let request = SessionRequest(
                url: "http://localhost:\(server.port)/", method: .put, body: .oneShot(length: 4, parts))
            #expect(try await session.send(request).status == .serviceUnavailable)
        }
        #expect(server.requestCount == 1)
    }

    @Test("After a lost connection only an idempotent request is retried") func lostConnection() async throws {
        for (method, isRepeated) in [(HTTPRequest.Method.get, true), (.post, false)] {
            let server = try await TestServer.start([
                [.receiveHead, .close], [.receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 0", "")],
            ])
            try await withSession(Self.configuration(Self.quick)) { session async throws in
                let status = try? await session.send(SessionRequest(url: server.url(), method: method)).status
                #expect((status == .ok) == isRepeated)
            }
            #expect(server.connectionCount == (isRepeated ? 2 : 1))
            await server.stop()
        }
    }

    @Test("Cancelling the task ends the wait") func cancellation() async throws {
        let server = try await Self.server(refusing: 100, with: .tooManyRequests, [.retryAfter: "50"])
        let recorder = Recorder()
        try await withSession(Self.configuration(Self.quick, recorder), stopping: [server]) { session async throws in
            let start = ContinuousClock.now
            let task = Task { try await session.text("http://localhost:\(server.port)/").status }
            #expect(await eventually { recorder.retries == 1 })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - start < .seconds(40))
        }
        #expect(server.requestCount == 1)
    }
}
