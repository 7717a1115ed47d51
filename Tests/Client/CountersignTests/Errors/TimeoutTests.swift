// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import ErrorExplanations
import HTTPTypes
import NIOConcurrencyHelpers
import TestServer
import Testing

/// The limits of requests and of their attempts, and the errors that report them.
@Suite struct TimeoutTests {
    private static let limit = Duration.milliseconds(300)
    /// A limit for attempts of which a part succeeds, also on a busy machine.
    private static let longLimit = Duration.seconds(6)

    /// Starts a server that does not respond to its first requests, and responds to all others with 200.
    private static func server(silentFor count: Int = .max) async throws -> ScriptedServer {
        let received = NIOLockedValueBox(0)
        return try await ScriptedServer.start { _ in
            let number = received.withLockedValue { received in
                received += 1
                return received
            }
            return number <= count ? .silence : .init(.ok)
        }
    }

    /// A limit, and the error after it.
    struct Row: Sendable {
        let code: String
        let phase: SessionError.Phase
        let setting: SessionError.TimeoutSetting
        let message: String
        var limiting: @Sendable (SessionRequest) -> SessionRequest = { $0 }
        var configuring: @Sendable (inout HTTPSession.Configuration) -> Void = { _ in }
    }

    private static let rows = [
        Row(
            code: "limit.total-time", phase: .total, setting: .total,
            message: "took longer than the total timeout of 300 milliseconds.",
            limiting: { $0.timeout(total: limit, attempt: .seconds(60)) }),
        Row(
            code: "limit.attempt-time", phase: .attempt, setting: .attempt,
            message: "took longer than the attempt timeout of 300 milliseconds.",
            limiting: { $0.timeout(total: .seconds(60), attempt: limit) }),
        Row(
            code: "limit.attempt-time", phase: .attempt, setting: .attempt,
            message: "took longer than the attempt timeout of 300 milliseconds.",
            configuring: { $0.attemptTimeout = limit }),
        Row(
            code: "limit.response-time", phase: .response, setting: .response,
            message: "did not respond within the response timeout of 300 milliseconds.",
            configuring: { $0.responseTimeout = limit }),
        Row(
            code: "limit.idle-time", phase: .response, setting: .idle,
            message: "sent nothing for 300 milliseconds before its response (idle timeout).",
            configuring: { $0.idleTimeout = limit }),
        Row(
            code: "limit.idle-time", phase: .response, setting: .idle,
            message: "sent nothing for 300 milliseconds before its response (idle timeout).",
            limiting: { $0.idleTimeout(limit) }),
        Row(
            code: "limit.idle-time", phase: .response, setting: .idle,
            message: "sent nothing for 300 milliseconds before its response (idle timeout).",
            limiting: { $0.idleTimeout(limit) }, configuring: { $0.idleTimeout = .milliseconds(50) }),
    ]

    @Test(
        "The error of a timeout states the setting and the time, and its code tells the settings apart",
        arguments: rows)
    func settings(row: Row) async throws {
        let server = try await Self.server()
        var configuration = HTTPSession.Configuration()
        row.configuring(&configuration)
        try await withSession(configuration, stopping: [server]) { session in
            let request = row.limiting(.get("http://localhost:\(server.port)/"))
            let error = await #expect(throws: SessionError.self) { _ = try await session.send(request) }
            guard case .limit(.timedOut(let peer, row.phase, Self.limit, row.setting)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(peer.port == server.port)
            #expect(error?.code == row.code)
            #expect(error?.explanation.message.hasSuffix(row.message) == true, "\(String(describing: error))")
        }
    }

    @Test("A TLS handshake that takes too long states its timeout") func handshake() async throws {
        try await TestServer.with([[.receive(1), .receiveRest]]) { server async throws in
            var configuration = HTTPSession.Configuration()
            configuration.handshakeTimeout = Self.limit
            try await withSession(configuration) { session async throws in
                let error = await #expect(throws: SessionError.self) {
                    _ = try await session.get("https://localhost:\(server.port)/")
                }
                guard case .limit(.timedOut(_, .handshake, Self.limit, .handshake)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(error?.code == "limit.idle-time")
            }
        }
    }

    @Test(
        "An attempt that takes too long is repeated if the request's method allows it",
        arguments: [(HTTPRequest.Method.get, true), (.put, true), (.post, false)])
    func attempts(method: HTTPRequest.Method, isRepeated: Bool) async throws {
        let server = try await Self.server(silentFor: 1)
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session in
            let request = SessionRequest(url: "http://localhost:\(server.port)/", method: method)
                .timeout(attempt: Self.longLimit).retries(.upTo(2, firstDelay: .milliseconds(1)))
            let status = try? await session.send(request).status
            #expect(status == (isRepeated ? .ok : nil))
        }
        #expect(server.requestCount == (isRepeated ? 2 : 1))
    }

    @Test("The limit of an attempt covers the body, after whose beginning nothing is repeated") func body() async throws
    {
        try await TestServer.with([
            [.receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 100", "", "x"), .receiveRest]
        ]) { server async throws in
            try await withSession(HTTPSession.Configuration()) { session async throws in
                let request = SessionRequest.get(server.url()).timeout(attempt: Self.longLimit).retries(.upTo(2))
                let response = try await session.send(request)
                let error = await #expect(throws: SessionError.self) { _ = try await response.bytes() }
                guard case .limit(.timedOut(_, .attempt, Self.longLimit, .attempt)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A request's retry policy replaces the session's", arguments: [true, false])
    func retries(isTheRequests: Bool) async throws {
        let server = try await ScriptedServer.start { _ in .init(.serviceUnavailable) }
        let policy = SessionRetryPolicy.upTo(2, firstDelay: .milliseconds(1))
        var configuration = HTTPSession.Configuration()
        configuration.retries = isTheRequests ? .none : policy
        try await withSession(configuration, stopping: [server]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(server.port)/").retries(isTheRequests ? policy : .none)
            #expect(try await session.send(request).status == .serviceUnavailable)
        }
        #expect(server.requestCount == (isTheRequests ? 3 : 1))
    }

    @Test(
        "Errors state durations in at most two units",
        arguments: [
            (.zero, "0 milliseconds"), (.milliseconds(1), "1 millisecond"), (.milliseconds(200), "200 milliseconds"),
            (.seconds(1), "1 second"), (.milliseconds(1_500), "1.5 seconds"), (.milliseconds(2_040), "2 seconds"),
            (.seconds(30), "30 seconds"), (.seconds(60), "1 minute"), (.milliseconds(90_400), "1 minute 30 seconds"),
            (.seconds(7_200), "2 hours"), (.seconds(3_601), "1 hour 1 second"), (.seconds(93_784), "1 day 2 hours"),
        ] as [(Duration, String)])
    func durations(duration: Duration, text: String) { #expect(duration.text == text) }

    @Test(
        "Errors round durations to the last digit that they state",
        arguments: [
            // Binary fractions are stored as slightly less: 1.2 as 1.19999999999999995559.
            (.seconds(1.2), "1.2 seconds"), (.seconds(2.3), "2.3 seconds"), (.seconds(4.6), "4.6 seconds"),
            (.seconds(0.001), "1 millisecond"), (.seconds(0.29), "290 milliseconds"),
            (.seconds(66.1), "1 minute 6 seconds"),
            (.microseconds(400), "0 milliseconds"), (.microseconds(999_400), "999 milliseconds"),
            (.microseconds(999_600), "1 second"), (.milliseconds(9_949), "9.9 seconds"),
            (.milliseconds(9_960), "10 seconds"),
            (.milliseconds(59_940), "59.9 seconds"), (.milliseconds(59_960), "1 minute"),
            (.milliseconds(119_600), "2 minutes"), (.milliseconds(3_599_600), "1 hour"),
        ] as [(Duration, String)])
    func roundedDurations(duration: Duration, text: String) { #expect(duration.text == text) }
}
