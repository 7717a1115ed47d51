// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOEmbedded
import TestServer
import Testing

@testable import Countersign
@testable import HTTPTransport

/// Requests over a connection that was quiet for a while, and the PING that checks it (RFC 9113 section 6.7).
@Suite struct HTTP2ProbeTests {
    /// A duration slightly longer than the quiet time after which a connection is probed.
    private static let quiet = Duration.milliseconds(1_200)

    /// A server whose first connection serves one request and then sends nothing more.
    private static let dying: HTTP2Server.Script = { request in
        request.number == 1 ? [.respond(200, body: [1]), .holdOutput] : [.respond(200, body: request.body)]
    }

    /// A probe on a testing channel whose clock the test advances.
    private struct Scene {
        let channel = NIOAsyncTestingChannel()
        private let probe: NIOLoopBound<HTTP2Probe>

        init() async throws {
            try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer"))
            probe = try await channel.testingEventLoop.executeInContext { [channel] in
                NIOLoopBound(HTTP2Probe(), eventLoop: channel.eventLoop)
            }
        }

        func ask(isBusy: Bool) async throws -> EventLoopFuture<Void>? {
            try await channel.testingEventLoop.executeInContext { [channel, probe] in
                probe.value.ask(over: channel, isBusy: isBusy) {}
            }
        }

        func noteWritten() async throws {
            try await channel.testingEventLoop.executeInContext { [probe] in probe.value.noteWritten() }
        }

        func noteInput() async throws {
            try await channel.testingEventLoop.executeInContext { [probe] in probe.value.noteInput() }
        }

        func end() async throws {
            try await channel.testingEventLoop.executeInContext { [probe] in probe.value.end() }
        }

        func advance(by seconds: Int64) async { await channel.testingEventLoop.advanceTime(by: .seconds(seconds)) }
    }

    private static func request(_ url: String, _ method: HTTPRequest.Method) -> SessionRequest {
        SessionRequest(url: url, method: method, body: method == .post ? .bytes([1, 2, 3]) : nil)
    }

    @Test(
        "A request on a connection whose PING gets no answer uses another connection",
        arguments: [HTTPRequest.Method.get, .post])
    func deadConnection(method: HTTPRequest.Method) async throws {
        try await withHTTP2(script: Self.dying) { server, session in
            _ = try await session.get(server.url).body.collect(upTo: 10)
            try await Task.sleep(for: Self.quiet)
            let start = ContinuousClock.now
            let response = try await session.send(Self.request(server.url, method))
            #expect(response.status == .ok)
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(server.connectionCount == 2)
            // A POST waits for the answer to the PING; if it were sent, the silent server would count it.
            if method == .post { #expect(server.requestCount == 2) }
        }
    }

    @Test("Parallel requests on a dead connection all succeed over one other connection")
    func parallelRequests() async throws {
        try await withHTTP2(script: Self.dying) { server, session in
            _ = try await session.get(server.url).body.collect(upTo: 10)
            try await Task.sleep(for: Self.quiet)
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await session.send(Self.request(server.url, number.isMultiple(of: 2) ? .get : .post)).status
                    }
                }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(server.connectionCount == 2)
        }
    }

    @Test("A connection whose PING is answered stays open", arguments: [HTTPRequest.Method.get, .post])
    func liveConnection(method: HTTPRequest.Method) async throws {
        try await withHTTP2 { request in
            [.respond(200, body: request.body)]
        } _: { server, session in
            _ = try await session.get(server.url)
            try await Task.sleep(for: Self.quiet)
            #expect(try await session.send(Self.request(server.url, method)).status == .ok)
            #expect(server.connectionCount == 1)
        }
    }

    @Test(
        "An unanswered PING ends an idle connection after 5 s, a busy one after 15 s",
        arguments: [(isBusy: false, seconds: 5), (isBusy: true, seconds: 15)])
    func timeout(isBusy: Bool, seconds: Int64) async throws {
        let scene = try await Scene()
        try await Task.sleep(for: Self.quiet)
        let answer = try #require(try await scene.ask(isBusy: isBusy))
        await scene.advance(by: seconds - 1)
        #expect(scene.channel.isActive)
        await scene.advance(by: 2)
        #expect(!scene.channel.isActive)
        try await scene.end()
        await #expect(throws: ChannelError.eof) { try await answer.get() }
    }

    @Test("An answer that waits in the socket while the event loop is busy prevents the timeout")
    func busyLoop() async throws {
        let scene = try await Scene()
        try await Task.sleep(for: Self.quiet)
        let answer = try #require(try await scene.ask(isBusy: false))
        await scene.advance(by: 5)
        try await scene.noteInput()
        await scene.advance(by: 1)
        #expect(scene.channel.isActive)
        try await answer.get()
    }

    @Test(
        "An unanswered PING ends a connection only if no part of a body was sent in the meantime",
        arguments: [false, true])
    func departures(bodyLeaves: Bool) async throws {
        let scene = try await Scene()
        try await Task.sleep(for: Self.quiet)
        let answer = try #require(try await scene.ask(isBusy: false))
        if bodyLeaves { try await scene.noteWritten() }
        await scene.advance(by: 6)
        #expect(scene.channel.isActive == bodyLeaves)
        // The connection closes after a timeout in which no part of the body was sent.
        await scene.advance(by: 6)
        #expect(!scene.channel.isActive)
        try await scene.end()
        await #expect(throws: ChannelError.eof) { try await answer.get() }
    }

    @Test("A cancelled request does not wait for the answer to a PING") func cancellation() async throws {
        try await withHTTP2(script: Self.dying) { server, session in
            _ = try await session.get(server.url).body.collect(upTo: 10)
            try await Task.sleep(for: Self.quiet)
            let start = ContinuousClock.now
            let waiting = Task { try await session.send(Self.request(server.url, .post)) }
            try await Task.sleep(for: .milliseconds(50))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
            #expect(ContinuousClock.now - start < .seconds(4))
        }
    }

    @Test("The total timeout ends the wait for the answer to a PING") func totalTimeout() async throws {
        try await withHTTP2(script: Self.dying) { server, session in
            _ = try await session.get(server.url).body.collect(upTo: 10)
            try await Task.sleep(for: Self.quiet)
            let start = ContinuousClock.now
            var request = Self.request(server.url, .post)
            request.totalTimeout = .milliseconds(200)
            await #expect {
                _ = try await session.send(request)
            } throws: { error in
                if case SessionError.limit(.timedOut(_, .total, _, _)) = error { true } else { false }
            }
            #expect(ContinuousClock.now - start < .seconds(4))
        }
    }
}
