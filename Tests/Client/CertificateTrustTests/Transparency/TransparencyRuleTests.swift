// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("Certificate Transparency rules") struct TransparencyRuleTests {
    /// The operator and state of a log on 2026-06-01, and the delivery of its timestamp.
    struct Stamp: Sendable, CustomTestStringConvertible {
        var operatorName: String
        var state = "usable"
        /// The time at which the log entered the state.
        var since = "2024-01-01T00:00:00Z"
        var isTiled = false
        var isByTLS = false
        /// The age of the timestamp at the check, in hours.
        var age = 1.0

        var testDescription: String { "\(operatorName) \(state)\(isTiled ? " tiled" : "")\(isByTLS ? " TLS" : "")" }
    }

    static func log(_ name: String, _ state: String = "usable", tiled: Bool = false, tls: Bool = false) -> Stamp {
        Stamp(operatorName: name, state: state, isTiled: tiled, isByTLS: tls)
    }

    /// Returns a log that was retired some hours before the check, and whose timestamp is older or newer than that.
    static func retired(_ name: String, _ hours: Int, age: Double) -> Stamp {
        let since = (Instant.now - Double(hours) * 3600).formatted(.iso8601)
        return Stamp(operatorName: name, state: "retired", since: since, age: age)
    }

    private func verdict(
        _ rule: CertificateTransparencyRule, days: Double, _ stamps: [Stamp]
    ) throws -> Verdict {
        let scene = try TransparencyScene(days: days)
        let logs = stamps.enumerated().map { index, stamp in
            TestLog(
                "log \(index)", by: stamp.operatorName,
                state: "{\"\(stamp.state)\": {\"timestamp\": \"\(stamp.since)\"}}", isTiled: stamp.isTiled)
        }
        let pairs = Array(zip(stamps, logs))
        let embedded = try pairs.filter { !$0.0.isByTLS }.map { stamp, log in
            try scene.embedded(log, at: Instant.now - stamp.age * 3600)
        }
        let server =
            embedded.isEmpty
            ? try scene.intermediate.issue(scene.recipe).certificate : try scene.server(list: TestLog.list(embedded))
        let tls = try pairs.filter(\.0.isByTLS).map { stamp, log in
            try log.timestamp(for: server, at: Instant.now - stamp.age * 3600)
        }
        return try scene.verdict(server, logs, rule, tls: tls)
    }

    @Test(
        "Chrome's policy of 2026-04-15 is enforced",
        arguments: [
            (180, [log("A"), log("B")], nil), (180, [log("A")], .tooFewLogs),
            (180, [log("A"), log("A")], .tooFewOperators),
            (181, [log("A"), log("B")], .tooFewLogs), (181, [log("A"), log("A"), log("B")], nil),
            (181, [log("A"), log("A"), log("A")], .tooFewOperators),
            (180, [log("A", tiled: true), log("B", tiled: true)], nil),
            (180, [log("A", "qualified"), log("B", "readonly")], nil),
            (180, [log("A", "pending"), log("B"), log("C", "rejected")], .tooFewLogs),
            (180, [log("A"), retired("B", 5, age: 6)], nil), (180, [log("A"), retired("B", 5, age: 4)], .tooFewLogs),
            // The certificate was issued before the log was retired.
            (180, [Stamp(operatorName: "A", age: 6), retired("B", 5, age: 4)], nil),
            (180, [retired("A", 5, age: 6), retired("B", 5, age: 7)], .noCurrentLog),
            // The log's retirement is in the future.
            (180, [log("A"), retired("B", -5, age: 1)], nil),
            (365, [log("A", tls: true), log("B", tls: true)], nil),
            (365, [log("A", tls: true), log("A", tls: true)], .tooFewOperators),
            // Embedded and TLS timestamps do not add up.
            (180, [log("A"), log("B", tls: true)], .tooFewLogs),
        ] as [(Double, [Stamp], TransparencyShortfall.Reason?)])
    func chrome(days: Double, stamps: [Stamp], reason: TransparencyShortfall.Reason?) throws {
        let verdict = try verdict(.chrome, days: days, stamps)
        #expect(shortfall(verdict) == reason && verdict.isTrusted == (reason == nil))
    }

    @Test(
        "Apple's policy is enforced",
        arguments: [
            (180, [log("A"), log("B")], nil), (180, [log("A"), log("A")], .tooFewOperators),
            (181, [log("A"), log("A"), log("B")], nil), (181, [log("A"), log("B")], .tooFewLogs),
            (181, [log("A"), log("A"), log("A")], .tooFewOperators),
            (180, [log("A", tiled: true), log("B", tiled: true)], .noRFC6962Log),
            (180, [log("A", tiled: true), log("B")], nil),
            (180, [log("A"), retired("B", 5, age: 6)], nil),
            (180, [Stamp(operatorName: "A", age: 6), retired("B", 5, age: 4)], .tooFewLogs),
            (365, [log("A"), log("A", tls: true)], nil), (365, [log("A", tls: true)], .tooFewLogs),
        ] as [(Double, [Stamp], TransparencyShortfall.Reason?)])
    func apple(days: Double, stamps: [Stamp], reason: TransparencyShortfall.Reason?) throws {
        let verdict = try verdict(.apple, days: days, stamps)
        #expect(shortfall(verdict) == reason && verdict.isTrusted == (reason == nil))
    }

    @Test(
        "A custom rule is enforced",
        arguments: [
            (1, 1, [log("A")], nil), (2, 1, [log("A"), log("A", tls: true)], nil),
            (2, 2, [log("A"), log("A")], .tooFewOperators), (3, 1, [log("A"), log("B")], .tooFewLogs),
            (1, 1, [retired("A", 5, age: 6)], .noCurrentLog), (0, 0, [log("A", "pending")], .tooFewLogs),
            (.max, .max, [log("A")], .tooFewLogs),
        ] as [(Int, Int, [Stamp], TransparencyShortfall.Reason?)])
    func custom(count: Int, operators: Int, stamps: [Stamp], reason: TransparencyShortfall.Reason?) throws {
        let rule = CertificateTransparencyRule.custom(minimumCount: count, minimumOperators: operators)
        #expect(try shortfall(verdict(rule, days: 365, stamps)) == reason)
    }

    @Test("A log with a new operator counts for its operator at the time of the timestamp") func previousOperators()
        throws
    {
        let scene = try TransparencyScene()
        let moved = TestLog("moved", by: "A").with {
            $0.more = #", "previous_operators": [{"name": "B", "end_time": "2026-05-31T22:00:00Z"}]"#
        }
        let logs = [TestLog("one", by: "A"), moved]
        let older = try scene.verdict(scene.server(logs, at: Instant.now - 3 * 3600), logs)
        #expect(older.isTrusted && older.timestamps.last?.logOperator == "B")
        let newer = try scene.verdict(scene.server(logs, at: Instant.now - 3600), logs)
        #expect(shortfall(newer) == .tooFewOperators && newer.timestamps.last?.logOperator == "A")
    }

    @Test("Chrome excludes the last second from a certificate's lifetime, and Apple includes it") func lastSecond()
        throws
    {
        let logs = [TestLog("one", by: "A"), TestLog("two", by: "B")]
        let scene = try TransparencyScene(days: 180) { $0.notAfter += 1 }
        let server = try scene.server(logs)
        #expect(try scene.verdict(server, logs, .chrome).isTrusted)
        #expect(try shortfall(scene.verdict(server, logs, .apple)) == .tooFewLogs)
    }
}
