// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOCore
import Secrets
import TestServer
import Testing

@testable import Countersign

/// SOCKS proxies that refuse, send malformed replies, do not respond and close.
@Suite struct SOCKSFaultTests {
    private typealias Behavior = TestServer.Behavior
    private static let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
    private static let opened: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    /// The length of the request for `a.test`.
    private static let requestLength = 13

    /// Calls a closure with a session through a SOCKS proxy, whose connections stay open unless a behavior closes them.
    private func get(
        through connections: [[TestServer.Behavior]], as credential: Credential? = nil,
        handlers: ChallengeHandlers = [:],
        timeout: Duration = .seconds(60), _ check: (HTTPSession, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(connections.map { $0 + [.receiveRest] }) { server async throws in
            var proxy = try Proxy("socks5://127.0.0.1:\(server.port)")
            proxy.credential = credential
            var configuration = HTTPSession.Configuration(handlers: handlers, proxy: proxy)
            configuration.handshakeTimeout = timeout
            try await withSession(configuration) { session async throws in try await check(session, server) }
        }
    }

    private func error(_ session: HTTPSession) async -> SessionError? {
        do {
            _ = try await session.text("http://a.test/")
            return nil
        } catch {
            return error as? SessionError
        }
    }

    @Test(
        "Each refusal of the proxy has its own error",
        arguments: [
            (1, .generalFailure), (2, .notAllowed), (3, .networkUnreachable), (4, .hostUnreachable),
            (5, .connectionRefused), (6, .timeToLiveExpired), (7, .commandNotSupported), (8, .addressTypeNotSupported),
            (9, .unassigned(9)),
        ] as [(UInt8, SessionError.SOCKSRefusal)])
    func refusals(code: UInt8, refusal: SessionError.SOCKSRefusal) async throws {
        let script: [Behavior] = [
            .receive(4), .send([5, 0]), .receive(Self.requestLength), .send([5, code, 0, 1, 0, 0, 0, 0, 0, 0]), .close,
        ]
        try await get(through: [script]) { session, server async throws in
            guard case .proxy(.socksRefused(let endpoint, _, let reason))? = await error(session) else {
                Issue.record("not refused")
                return
            }
            #expect(endpoint.port == server.port && reason == refusal)
        }
    }

    @Test(
        "A malformed reply of the proxy is an error with its reason",
        arguments: [
            ([.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))], .version(0x48)),
            ([.receive(4), .send([5, 3])], .method(3)),
            ([.receive(4), .send([5, 0]), .receive(13), .send([5, 0, 0, 9])], .addressType(9)),
            ([.receive(4), .send([5, 0]), .receive(13), .send([5, 0, 7])], .reserved(7)),
            ([.receive(4), .send([5, 0, 5, 0])], .excess),
        ] as [([TestServer.Behavior], SessionError.MalformedSOCKS)])
    func malformed(script: [TestServer.Behavior], reason: SessionError.MalformedSOCKS) async throws {
        try await get(through: [script]) { session, _ async throws in
            guard case .proxy(.malformedSOCKS(_, let found))? = await error(session) else {
                Issue.record("understood")
                return
            }
            #expect(found == reason)
        }
    }

    @Test("A proxy that accepts no method is an error") func unacceptableMethods() async throws {
        try await get(through: [[.receive(4), .send([5, 0xFF]), .close]]) { session, _ async throws in
            guard case .proxy(.socksRefused(_, _, .noAcceptableMethod))? = await error(session) else {
                Issue.record("not refused")
                return
            }
        }
    }

    /// The proxy closes after each of its messages and in the middle of each.
    @Test(
        "A proxy that closes the connection is named in the error",
        arguments: [
            [.receive(4), .close], [.receive(4), .send([5]), .close],
            [.receive(4), .send([5, 2]), .receive(9), .close],
            [.receive(4), .send([5, 2]), .receive(9), .send([1]), .close],
            [.receive(4), .send([5, 0]), .receive(13), .close],
            [.receive(4), .send([5, 0]), .receive(13), .send([5, 0, 0, 1, 0]), .close],
        ] as [[TestServer.Behavior]])
    func lost(script: [TestServer.Behavior]) async throws {
        let credential = Credential.password(user: "mary", password: Secret("pw"))
        try await get(through: [script], as: credential) { session, server async throws in
            guard case .connection(.lost(let endpoint, .proxyTunnel))? = await error(session) else {
                Issue.record("not lost")
                return
            }
            #expect(endpoint.port == server.port && server.received.count == 1)
        }
    }

    @Test(
        "A proxy that does not respond times out",
        arguments: [
            [.receive(4)], [.receive(4), .send([5])], [.receive(4), .send([5, 2]), .receive(9)],
            [.receive(4), .send([5, 0]), .receive(13), .send([5, 0, 0, 3, 255, 0x61])],
        ] as [[TestServer.Behavior]])
    func silent(script: [TestServer.Behavior]) async throws {
        let credential = Credential.password(user: "mary", password: Secret("pw"))
        try await get(through: [script], as: credential, timeout: .milliseconds(200)) { session, _ async throws in
            guard case .limit(.timedOut(_, .proxyTunnel, _, _))? = await error(session) else {
                Issue.record("not timed out")
                return
            }
        }
    }

    /// The time of a handler does not count, and the session reconnects to a proxy that has closed in the meantime.
    @Test(
        "The handler's time does not count, and the session reconnects to a proxy that has closed meanwhile",
        arguments: [true, false])
    func slowHandler(proxyWaits: Bool) async throws {
        let through: [Behavior] = [
            .receive(4), .send([5, 2]), .receive(9), .send([1, 0]), .receive(Self.requestLength), .send(Self.opened),
            .receive(20), .send(Self.response),
        ]
        let impatient: [Behavior] = [.receive(4), .send([5, 2]), .close]
        let recorder = Recorder()
        let handler: ClosureHandler = .closure { challenge in
            _ = try await recorder.handler { _ in .performDefault }.answer(challenge)
            try await Task.sleep(for: .milliseconds(8500))
            return .use(.password(user: "mary", password: Secret("pw")))
        }
        try await get(
            through: proxyWaits ? [through] : [impatient, through], handlers: [.socksPassword: handler],
            // The handler takes longer, and a proxy on a busy machine less.
            timeout: .seconds(8)
        ) { session, server async throws in
            #expect(try await session.text("http://a.test/").body == "ok")
            #expect(recorder.handlerChallenges.count == 1)
            #expect(server.received.last?.dropFirst(4).prefix(9) == [1, 4, 0x6D, 0x61, 0x72, 0x79, 2, 0x70, 0x77])
            #expect(server.received.count == (proxyWaits ? 1 : 2))
        }
    }

    @Test("A proxy that also closes the second connection is an error") func closedTwice() async throws {
        let handler: ClosureHandler = .closure { _ in
            try await Task.sleep(for: .milliseconds(200))
            return .use(.password(user: "mary", password: Secret("pw")))
        }
        try await get(
            through: Array(repeating: [.receive(4), .send([5, 2]), .close], count: 2),
            handlers: [.socksPassword: handler]
        ) { session, server async throws in
            guard case .connection(.lost(_, .proxyTunnel))? = await error(session) else {
                Issue.record("not lost")
                return
            }
            #expect(server.received.count == 2)
        }
    }

    /// The bytes after the proxy's last message belong to the destination.
    @Test("Bytes after the reply belong to the destination, and a response without a request is an error")
    func earlyData() async throws {
        let script: [Behavior] = [
            .receive(4), .send([5, 0]), .receive(Self.requestLength), .send(Self.opened), .receive(20),
            .send(Self.response),
        ]
        try await get(through: [script]) { session, _ async throws in
            #expect(try await session.text("http://a.test/").body == "ok")
        }
        let eager: [Behavior] = [
            .receive(4), .send([5, 0]), .receive(Self.requestLength), .send(Self.opened + Self.response), .close,
        ]
        // The response arrives before the request is sent, so that the request must fail.
        try await get(through: [eager]) { session, _ async throws in #expect(await error(session) != nil) }
    }

    @Test("A password that is too long is not sent") func longPassword() async throws {
        let credential = Credential.password(user: "mary", password: Secret(String(repeating: "p", count: 256)))
        try await get(through: [[.receive(4), .send([5, 2])]], as: credential) { session, server async throws in
            guard case .authentication(.unanswerableChallenge(_, .wrongLength(.password, 255)))? = await error(session)
            else {
                Issue.record("answered")
                return
            }
            #expect(server.received == [[5, 2, 0, 2]])
        }
    }

    @Test("A cancelled request leaves no connection open") func cancellation() async throws {
        try await get(through: [[.receive(4), .close], [.receive(4)]]) { session, server async throws in
            _ = await error(session)
            let task = Task { try await session.text("http://a.test/") }
            #expect(await eventually { server.received.count == 2 && server.received[1].count == 4 })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
