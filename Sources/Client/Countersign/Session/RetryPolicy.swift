// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A policy that decides when a failed request is sent again, how often, and after how long.
///
/// A failed request is sent again if no connection was made, if the connection ended before a response, or if a status says that the server
/// is busy. Where the server may have acted on the request, only idempotent methods are sent again (RFC 9110 section 9.2.2), and only with
/// a body that can be produced again. Refused certificates and failed authentication are never tried again.
///
/// Whatever the policy, the session repeats a request at once if no server has processed it (GOAWAY, REFUSED_STREAM,
/// HTTP_1_1_REQUIRED, a connection that ended before the request arrived) or if a pooled connection was lost. It does so at most four
/// times for one request. A request is thus sent at most 1 + 4 + ``attempts`` times, and once more for each redirect, each challenge that
/// is answered or for which the body was withheld, a refused expectation (417), and a certificate that a server of TLS 1.2 asked for later.
public struct RetryPolicy: Hashable, Sendable {
    /// Which requests of methods that are not idempotent are sent again after a status.
    public enum UnsafeRequests: Hashable, Sendable {
        /// None is sent again, because the client cannot know what the server has done.
        case never
        /// A request is sent again after 429, and after 503 with `Retry-After`, which well-behaved servers send before they act on a
        /// request.
        case afterRefusals
    }

    /// How many more times a request is sent, through all its redirects; 0 or less for never.
    public var attempts: Int
    /// The upper bound of the first wait; each further bound is twice the one before.
    ///
    /// The wait is chosen at random below its bound, so that clients which failed together do not return together.
    public var firstDelay: Duration
    /// The largest bound of a wait, however many attempts came before.
    public var longestDelay: Duration
    /// The longest wait that the server may ask for by `Retry-After` (RFC 9110 section 10.2.3); 60 seconds by default.
    ///
    /// If the server asks for more, its response is delivered.
    public var longestRetryAfter: Duration = .seconds(60)
    /// No wait begins that would end later than this after the request was first sent; `nil` for no such limit.
    public var totalTime: Duration?
    /// The statuses after which the request is sent again: 429 and 503 by default.
    ///
    /// Add 502 and 504 where there is a gateway before the server.
    public var statuses: Set<HTTPResponse.Status> = [.tooManyRequests, .serviceUnavailable]
    /// What happens to requests that are not idempotent after one of the ``statuses``; by default they are not sent again.
    public var unsafeRequests = UnsafeRequests.never

    /// No request is sent again: every failure is delivered at once.
    public static let none = RetryPolicy.upTo(0)

    /// Sends a request again, at growing intervals.
    ///
    /// - Parameters:
    ///   - attempts: How many more times a request is sent; 0 or less for never.
    ///   - firstDelay: The upper bound of the first wait; each further bound is twice the one before.
    ///   - longestDelay: The largest bound of a wait.
    ///   - totalTime: No wait begins that would end later than this after the request was first sent; `nil` for no such limit.
    /// - Returns: A policy for ``Session/Configuration/retries``.
    public static func upTo(
        _ attempts: Int, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
        totalTime: Duration? = .seconds(120)
    ) -> RetryPolicy {
        RetryPolicy(
            attempts: attempts, firstDelay: firstDelay, longestDelay: longestDelay, totalTime: totalTime)
    }
}

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
