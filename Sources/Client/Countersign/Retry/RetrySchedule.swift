// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

/// The retries of one request: how many there were, and whether there is another.
///
/// Time and randomness are parameters; nothing here waits.
struct RetrySchedule {
    /// What came of sending the request.
    enum Outcome {
        case failed(SessionError)
        case responded(HTTPResponse.Status, retryAfter: Duration?)
    }

    private let policy: RetryPolicy
    private let start: ContinuousClock.Instant
    private(set) var count = 0

    init(_ policy: RetryPolicy, start: ContinuousClock.Instant) {
        (self.policy, self.start) = (policy, start)
    }

    /// How long to wait before the request is sent again.
    ///
    /// - Parameters:
    ///   - outcome: What came of sending it.
    ///   - request: As it was sent.
    ///   - now: The instant at which the wait would begin.
    ///   - generator: Where chance comes from.
    /// - Returns: `nil` where it is not sent again.
    mutating func wait(
        after outcome: Outcome, of request: Request, at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard count < policy.attempts, request.body?.isAvailable ?? true, isRepeated(request, after: outcome) else {
            return nil
        }
        var wait = bound * Double.random(in: 0...1, using: &generator)
        if case .responded(_, let asked?) = outcome {
            guard asked <= policy.longestRetryAfter else { return nil }
            wait = max(wait, asked)
        }
        if let total = policy.totalTime, now + wait > start + total { return nil }
        count += 1
        return wait
    }

    private var bound: Duration {
        // Doubled more often it is beyond every limit.
        min(policy.longestDelay, policy.firstDelay * (1 << min(count, 30)))
    }

    private func isRepeated(_ request: Request, after outcome: Outcome) -> Bool {
        switch outcome {
        case .failed(let error):
            error.isBeforeRequest || error.isBeforeResponse && request.method.isIdempotent
        case .responded(let status, let retryAfter):
            policy.statuses.contains(status)
                && (request.method.isIdempotent || isRefusal(status, retryAfter: retryAfter))
        }
    }

    private func isRefusal(_ status: HTTPResponse.Status, retryAfter: Duration?) -> Bool {
        guard policy.unsafeRequests == .afterRefusals else { return false }
        return status == .tooManyRequests || status == .serviceUnavailable && retryAfter != nil
    }
}

extension SessionError {
    /// Whether nothing of the request was sent, for a reason that may pass.
    fileprivate var isBeforeRequest: Bool {
        switch self {
        case .connection(.cannotConnect), .connection(.lost(_, .handshake)), .connection(.lost(_, .proxyTunnel)),
            .limit(.timedOut(_, .handshake)), .limit(.timedOut(_, .proxyTunnel)), .response(.streamReset(_, .refused)):
            true
        default: false
        }
    }

    /// Whether the request may have been sent, and no response came.
    fileprivate var isBeforeResponse: Bool {
        switch self {
        case .connection(.lost(_, .request)), .connection(.lost(_, .response)), .connection(.goAway(_, .request, _)),
            .connection(.goAway(_, .response, _)), .limit(.timedOut(_, .request)),
            .limit(.timedOut(_, .response)):
            true
        default: false
        }
    }
}

/// How long a server asks to be left alone (RFC 9110 section 10.2.3).
package struct RetryAfter {
    /// Never negative; a date in the past is now.
    package let wait: Duration

    /// Longer than any wait, so that no sum overflows, in seconds.
    private static let longest = 1 << 40

    /// Reads what a response says; `nil` where it says nothing, or nothing that makes sense.
    ///
    /// - Parameters:
    ///   - fields: Of the response. A date is counted from the server's own `Date`, where that is there: clocks differ.
    ///   - now: In seconds since 1970.
    package init?(_ fields: HTTPFields, now: Int) {
        guard let text = fields[.retryAfter], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            wait = .seconds(min(Int(text) ?? Self.longest, Self.longest))
            return
        }
        guard let date = HTTPDate(text, now: now) else { return nil }
        let start = fields[.date].flatMap { HTTPDate($0, now: now) }?.secondsSince1970 ?? now
        wait = .seconds(max(0, date.secondsSince1970 - start))
    }
}
