// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import TestServer
import Testing

@Suite struct EventTests {
    private let events = NIOLockedValueBox<[SessionEvent]>([])
    private let log = LogLines()
    private let record = SpanRecord()

    private var configuration: HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration(
            handlers: [.basic: .closure { _ in .use(.password(user: "u", password: Secret("p"))) }])
        configuration.retries = .upTo(1, firstDelay: .milliseconds(1))
        configuration.observer = { [events] event in events.withLockedValue { $0.append(event) } }
        configuration.logger = log.logger
        configuration.tracer = record
        return configuration
    }

    /// Redirects to a resource that is unavailable once and then requests a password.
    private func start() async throws -> ScriptedServer {
        let isBusy = NIOLockedValueBox(true)
        return try await ScriptedServer.start { request in
            if request.head.path == "/moved" { return .init(.found, [.location: "/end"]) }
            let isFirst = isBusy.withLockedValue { isBusy in
                defer { isBusy = false }
                return isBusy
            }
            if isFirst { return .init(.serviceUnavailable, [.retryAfter: "0"]) }
            guard request.head.headerFields[.authorization] != nil else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            return .init(.ok)
        }
    }

    @Test("Each event has the identifier of its request and the number of the attempt") func attempts() async throws {
        let server = try await start()
        try await withSession(configuration, stopping: [server]) { session async throws in
            _ = try await session.text("http://localhost:\(server.port)/moved")
        }
        let expected = [
            "1 connected", "1 exchanged", "1 received", "1 redirected", "1 sending", "2 exchanged", "2 received",
            "2 retrying", "2 sending", "3 challenged", "3 exchanged", "3 exchanged", "3 received", "3 received",
            "3 sending", "3 sending",
        ]
        #expect(await eventually { events.withLockedValue(\.count) == expected.count })
        let reported = events.withLockedValue { $0 }
        #expect(Set(reported.map(\.requestIdentifier)).count == 1)
        // The end of a body may be reported before or after the decision about its response.
        #expect(reported.map { "\($0.attempt) \("\($0.kind)".prefix { $0 != ":" })" }.sorted() == expected)
    }

    @Test("The log and the spans have the same identifier and attempts as the events") func correlation() async throws {
        let server = try await start()
        try await withSession(configuration, stopping: [server]) { session async throws in
            _ = try await session.text("http://localhost:\(server.port)/moved")
        }
        #expect(await eventually { events.withLockedValue(\.count) == 16 })
        let identifier = try #require(events.withLockedValue { $0.first }).requestIdentifier.description
        #expect(identifier.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        // The log has the exchanges, and no heads.
        #expect(log.all.count == 8)
        #expect(log.all.allSatisfy { $0.contains("\"countersign.request.id\": \(identifier)") })
        #expect(log.all.last?.contains("\"countersign.request.attempt\": 3") == true)
        #expect(record.spans.map { $0.texts["countersign.request.id"] } == [identifier, identifier, identifier])
        #expect(record.spans.map { $0.texts["countersign.request.attempt"] } == ["1", "2", "3"])
    }

    @Test("The heads of a request and a response are reported as they were sent, without secrets") func heads()
        async throws
    {
        let server = try await ScriptedServer.start { _ in .init(.ok, [.setCookie: "id=secret"]) }
        try await withSession(configuration, stopping: [server]) { session async throws in
            var request = SessionRequest(url: "http://localhost:\(server.port)/a?token=secret", method: .post)
            request.body = .text("four")
            request.explicitFields[.cookie] = "id=secret"
            _ = try await session.send(request).body.collect(upTo: 10)
        }
        let kinds = events.withLockedValue { $0.map(\.kind) }
        #expect(kinds.allSatisfy { !"\($0)".contains("secret") })
        guard kinds.count > 2, case .sending(let sent) = kinds[1], case .received(let received) = kinds[2] else {
            Issue.record("\(kinds)")
            return
        }
        #expect(sent.method == .post && sent.target == "/a?token=redacted" && sent.httpVersion == .http1)
        #expect(sent.authority == "localhost:\(server.port)")
        #expect(sent.headerFields[.cookie] == "id=<redacted>" && sent.headerFields[.contentLength] == "4")
        #expect(received.status == .ok && received.headerFields[.setCookie] == "id=<redacted>")
        var dumped = ""
        dump((sent, received), to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test("A request that fails without a response has a last event with its error") func failure() async throws {
        try await withSession(configuration) { session async throws in
            await #expect(throws: SessionError.self) { try await session.get("http://localhost:1/?token=secret") }
        }
        let last = try #require(events.withLockedValue { $0.last })
        guard case .failed("http://localhost:1/?token=secret", let error as SessionError) = last.kind else {
            Issue.record("\(last)")
            return
        }
        #expect(error.code == "connection.refused" && last.attempt == 2)
        #expect("\(last)".contains("(connection.refused)") && !"\(last)".contains("secret"))
        #expect(log.all.count == events.withLockedValue(\.count))
    }

    @Test(
        "The line about a retry states the delay in milliseconds or tenths of a second",
        arguments: [
            (Duration.nanoseconds(23_247), "0 milliseconds"), (.microseconds(230_400), "230 milliseconds"),
            (.seconds(1.2), "1.2 seconds"),
        ])
    func delay(_ delay: Duration, _ text: String) {
        let event = SessionEvent.Kind.retrying("http://a.test/", after: delay, .status(.serviceUnavailable))
        #expect("\(event)" == "retrying: http://a.test/ was answered with 503; sending it again in \(text)")
    }

    @Test("A request may choose its identifier") func chosen() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok) }
        var request = SessionRequest(url: "http://localhost:\(server.port)/")
        request.identifier = RequestIdentifier()
        try await withSession(configuration, stopping: [server]) { session async throws in
            _ = try await session.send(request).body.collect(upTo: 10)
        }
        #expect(Set(events.withLockedValue { $0.map(\.requestIdentifier) }) == [request.identifier])
    }

    @Test("Simultaneous requests have different identifiers") func simultaneous() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok) }
        try await withSession(configuration, stopping: [server]) { session async throws in
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask { _ = try await session.text("http://localhost:\(server.port)/\(number)") }
                }
                try await group.waitForAll()
            }
        }
        let identifiers = events.withLockedValue { events in
            events.compactMap { if case .exchanged = $0.kind { $0.requestIdentifier } else { nil } }
        }
        #expect(identifiers.count == 20)
        #expect(Set(identifiers).count == 20)
    }
}
