// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import HTTPTypes
import NIOCore
import Testing

@testable import Countersign

@Suite struct RetryScheduleTests {
    /// A generator that always returns the largest number, so that each random delay equals its upper bound.
    private struct MaximumGenerator: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private static func wait(
        after outcome: RetrySchedule.Outcome, _ method: HTTPRequest.Method = .get,
        policy: SessionRetryPolicy = .upTo(3),
        body: SessionRequestBody? = nil
    ) -> Duration? {
        let start = ContinuousClock.now
        var course = RetrySchedule(policy, start: start)
        var generator = MaximumGenerator()
        let request = SessionRequest(url: "http://a.test/", method: method, body: body)
        return course.wait(after: outcome, of: request, at: start, using: &generator)
    }

    @Test("The upper bound of the delay doubles up to the longest delay") func backoff() {
        let start = ContinuousClock.now
        var course = RetrySchedule(
            .upTo(5, firstDelay: .seconds(1), maximumDelay: .seconds(6), totalTime: nil), start: start)
        var generator = MaximumGenerator()
        let waits = (1...6).map { _ in
            course.wait(
                after: .responded(.tooManyRequests, retryAfter: nil), of: SessionRequest(url: "http://a.test/"),
                at: start,
                using: &generator)
        }
        let rounded = waits.map { $0.map { Int(($0 / .seconds(1)).rounded()) } }
        #expect(rounded == [1, 2, 4, 6, 6, nil])
    }

    @Test("The delay is random below its bound") func jitter() {
        var generator = SystemRandomNumberGenerator()
        let start = ContinuousClock.now
        let waits = (1...200).compactMap { _ in
            var course = RetrySchedule(.upTo(1, firstDelay: .seconds(1)), start: start)
            return course.wait(
                after: .responded(.tooManyRequests, retryAfter: nil), of: SessionRequest(url: "http://a.test/"),
                at: start,
                using: &generator)
        }
        #expect(waits.count == 200)
        #expect(waits.allSatisfy { (Duration.zero ... .seconds(1)).contains($0) })
        #expect(waits.contains { $0 < .milliseconds(500) } && waits.contains { $0 > .milliseconds(500) })
    }

    @Test(
        "Retry-After is respected up to a limit",
        arguments: [
            (requested: Duration.seconds(7), wait: Duration.seconds(7) as Duration?),
            (.seconds(60), .seconds(60)),
            (.seconds(61), nil),  // Above the limit, the response is delivered.
        ])
    func retryAfter(requested: Duration, wait: Duration?) {
        #expect(Self.wait(after: .responded(.serviceUnavailable, retryAfter: requested)) == wait)
    }

    @Test("Retries end with the total time") func totalTime() {
        let start = ContinuousClock.now
        var course = RetrySchedule(.upTo(9, totalTime: .seconds(10)), start: start)
        var generator = MaximumGenerator()
        let request = SessionRequest(url: "http://a.test/")
        let outcome = RetrySchedule.Outcome.responded(.tooManyRequests, retryAfter: .seconds(6))
        #expect(course.wait(after: outcome, of: request, at: start, using: &generator) == .seconds(6))
        #expect(course.wait(after: outcome, of: request, at: start + .seconds(6), using: &generator) == nil)
    }

    @Test(
        "Only 429 and 503 responses are retried by default",
        arguments: [
            (status: HTTPResponse.Status.tooManyRequests, isRepeated: true),
            (.serviceUnavailable, true),
            (.badGateway, false),
            (.gatewayTimeout, false),
            (.internalServerError, false),
            (.unauthorized, false),
            (.proxyAuthenticationRequired, false),
            (.ok, false),
        ])
    func statuses(status: HTTPResponse.Status, isRepeated: Bool) {
        #expect((Self.wait(after: .responded(status, retryAfter: nil)) != nil) == isRepeated)
    }

    @Test("A policy may retry other statuses") func ownStatuses() {
        var policy = SessionRetryPolicy.upTo(1)
        policy.statuses.formUnion([.badGateway, .gatewayTimeout])
        #expect(Self.wait(after: .responded(.badGateway, retryAfter: nil), policy: policy) != nil)
    }

    @Test(
        "A POST is retried only if the policy allows it and the server refused it",
        arguments: [
            (status: HTTPResponse.Status.tooManyRequests, retryAfter: nil as Duration?, isRepeated: true),
            (.serviceUnavailable, nil, false),
            (.serviceUnavailable, .zero, true),
            (.badGateway, .zero, false),
        ])
    func post(
        status: HTTPResponse.Status, retryAfter: Duration?, isRepeated: Bool
    ) {
        var policy = SessionRetryPolicy.upTo(1)
        let outcome = RetrySchedule.Outcome.responded(status, retryAfter: retryAfter)
        #expect(Self.wait(after: outcome, .post, policy: policy) == nil)
        policy.statuses.insert(.badGateway)
        policy.unsafeRequests = .afterRefusals
        #expect((Self.wait(after: outcome, .post, policy: policy) != nil) == isRepeated)
    }

    @Test("A failed request is retried if that has no side effect") func failures() throws {
        let endpoint = HostEndpoint(host: try HostName("a.test"), port: 80)
        let peer = SessionError.Peer(endpoint, role: .origin)
        let rows: [(error: SessionError, get: Bool, post: Bool)] = [
            (.connection(.cannotConnect(peer, .refused)), true, true),
            (.connection(.cannotResolve(peer)), true, true),
            (.connection(.cannotConnectToSocket("/run/s", .notFound)), true, true),
            (.connection(.cannotConnectToSocket("/run/s", .pathTooLong)), false, false),
            (.limit(.noConnectionOpened(peer, waited: .seconds(1))), true, true),
            (.limit(.noConnectionFree(peer, waited: .seconds(1))), false, false),
            (.connection(.lost(peer, .handshake)), true, true),
            (.limit(.timedOut(peer, .handshake, after: .seconds(1), setting: .handshake)), true, true),
            (.connection(.lost(peer, .request)), true, false),
            (.connection(.lost(peer, .response)), true, false),
            (.limit(.timedOut(peer, .response, after: .seconds(1), setting: .idle)), true, false),
            (.limit(.timedOut(peer, .attempt, after: .seconds(1), setting: .attempt)), true, false),
            (.limit(.timedOut(peer, .total, after: .seconds(1), setting: .total)), false, false),
            (.connection(.lost(peer, .body)), false, false),
            (.tls(.notTLS(peer)), false, false),
            (.body(.usedUp), false, false),
            (.proxy(.authenticationRequired(endpoint, [])), false, false),
            (.response(.malformed(peer, .framing)), false, false),
            (.redirect(.loop([])), false, false),
            (.cancelled(.sessionClosed), false, false),
        ]
        for row in rows {
            #expect((Self.wait(after: .failed(row.error)) != nil) == row.get, "\(row.error)")
            #expect((Self.wait(after: .failed(row.error), .post, body: .bytes([1])) != nil) == row.post, "\(row.error)")
        }
    }

    @Test("Without a policy nothing is retried") func none() {
        #expect(Self.wait(after: .responded(.tooManyRequests, retryAfter: nil), policy: .none) == nil)
    }
}
