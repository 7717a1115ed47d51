// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import Logging
import TestServer
import Testing

@testable import Countersign

@Suite struct LogThrottleTests {
    private static let subject = LogThrottle.Subject(name: "connected", host: "a.test")

    @Test("Events of one kind are logged up to the limit, then counted") func limit() {
        let start = ContinuousClock.now
        var throttle = LogThrottle(LogLimit(count: 3, interval: .seconds(30)))
        func admit(_ seconds: Int) -> Int? { throttle.admit(Self.subject, at: start + .seconds(seconds)) }
        #expect([0, 0, 0, 0, 1].map(admit) == [0, 0, 0, nil, nil])
        // After ten seconds one event is logged again, with the number of suppressed events.
        #expect([11, 11, 22].map(admit) == [2, nil, 1])
        // After any pause, at most three events are logged at once.
        #expect([1_000, 1_000, 1_000, 1_000].map(admit) == [0, 0, 0, nil])
    }

    @Test("Kinds and hosts are limited separately") func subjects() {
        let now = ContinuousClock.now
        var throttle = LogThrottle(LogLimit(count: 1, interval: .seconds(30)))
        for subject in [
            Self.subject, .init(name: "redirected", host: "a.test"), .init(name: "connected", host: "b.test"),
        ] {
            #expect(throttle.admit(subject, at: now) == 0)
            #expect(throttle.admit(subject, at: now) == nil)
        }
    }

    @Test("The number of subjects is limited") func memory() {
        let now = ContinuousClock.now
        var throttle = LogThrottle(LogLimit(count: 1, interval: .seconds(30)))
        for number in 0..<5_000 {
            #expect(throttle.admit(.init(name: "connected", host: "h\(number).test"), at: now) == 0)
        }
        #expect(throttle.subjectCount <= 1_024)
    }

    @Test(
        "A session logs up to its limit",
        arguments: [(limit: LogLimit(count: 2, interval: .seconds(3_600)) as LogLimit?, lines: 2), (nil, 5)])
    func session(limit: LogLimit?, lines: Int) async throws {
        let server = try await ScriptedServer.start { request in
            request.head.path == "/end" ? .init(.ok) : .init(.found, [.location: "/end"])
        }
        let log = LogLines()
        var configuration = HTTPSession.Configuration()
        configuration.logger = log.logger
        configuration.logLimit = limit
        try await withSession(configuration, stopping: [server]) { session async throws in
            for _ in 1...5 { _ = try await session.text("http://localhost:\(server.port)/") }
        }
        #expect(log.all.count { $0.hasPrefix("redirected") } == lines)
        #expect(log.all.contains { $0.hasPrefix("connected") })
    }
}
