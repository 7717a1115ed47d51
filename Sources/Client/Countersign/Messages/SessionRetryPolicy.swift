// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A policy that decides whether a failed request is sent again, how often, and after which delay.
///
/// A failed request is sent again if no connection was made, if the connection ended or the attempt timed out before a
/// response, or if a status indicates that the server is busy. If the server may have processed the request, only
/// idempotent methods are sent again (RFC 9110 section 9.2.2), and only with a body that can be produced again.
/// Rejected certificates and failed authentication are never retried.
///
/// Independently of the policy, the session repeats a request at once if no server has processed it (GOAWAY,
/// REFUSED_STREAM, HTTP_1_1_REQUIRED, a connection that ended before the request arrived) or if a pooled connection was
/// lost. It does so at most four times for one request. A request is thus sent at most 1 + 4 + ``attempts`` times, and
/// once more for each redirect, each challenge that is answered or for which the body was withheld, a refused
/// expectation (417), and a client certificate that a TLS 1.2 server requested later.
public struct SessionRetryPolicy: Hashable, Sendable {
    /// The non-idempotent requests that are sent again after a status.
    @nonexhaustive
    public enum UnsafeRequests: Hashable, Sendable {
        /// No request is sent again, because the client cannot know what the server has done.
        case never
        /// A request is sent again after 429, and after 503 with `Retry-After`, because well-behaved servers send these
        /// before they process a request.
        case afterRefusals
    }

    /// The maximum number of retries of a request, across all its redirects; 0 or less for none.
    public var attempts: Int
    /// The upper bound of the first delay.
    ///
    /// Each further bound is twice the previous one.
    ///
    /// The delay is random below its bound, so that clients that failed together do not retry together.
    public var firstDelay: Duration
    /// The maximum of the bounds, after any number of attempts.
    public var maximumDelay: Duration
    /// The maximum delay that the server may request by `Retry-After` (RFC 9110 section 10.2.3); 60 seconds by default.
    ///
    /// If the server requests more, its response is delivered.
    public var maximumRetryAfter: Duration = .seconds(60)
    /// The maximum time from the first sending of the request to the end of a delay; `nil` for no limit.
    public var totalTime: Duration?
    /// The statuses after which the request is sent again: 429 and 503 by default.
    ///
    /// Add 502 and 504 if there is a gateway before the server.
    public var statuses: Set<HTTPResponse.Status> = [.tooManyRequests, .serviceUnavailable]
    /// The handling of non-idempotent requests after one of the ``statuses``; by default they are not sent again.
    public var unsafeRequests = UnsafeRequests.never

    /// A policy without retries: every failure is delivered at once.
    public static let none = SessionRetryPolicy.upTo(0)

    /// Returns a policy that sends a request again after growing delays.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of retries of a request; 0 or less for none.
    ///   - firstDelay: The upper bound of the first delay. Each further bound is twice the previous one.
    ///   - maximumDelay: The maximum of the bounds.
    ///   - totalTime: The maximum time from the first sending of the request to the end of a delay; `nil` for no limit.
    /// - Returns: A policy for ``HTTPSession/Configuration/retries``.
    public static func upTo(
        _ attempts: Int, firstDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30),
        totalTime: Duration? = .seconds(120)
    ) -> SessionRetryPolicy {
        SessionRetryPolicy(
            attempts: attempts, firstDelay: firstDelay, maximumDelay: maximumDelay, totalTime: totalTime)
    }
}

/// The retries of one request: their number so far, and whether another one follows.
///
/// Time and randomness are parameters, and nothing here waits.
struct RetrySchedule {
    /// The outcome of sending the request.
    enum Outcome {
        case failed(SessionError)
        case responded(HTTPResponse.Status, retryAfter: Duration?)
    }

    private let policy: SessionRetryPolicy
    private let start: ContinuousClock.Instant
    private(set) var count = 0

    init(_ policy: SessionRetryPolicy, start: ContinuousClock.Instant) {
        (self.policy, self.start) = (policy, start)
    }

    /// Returns the delay before the request is sent again.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of sending the request.
    ///   - request: The request as it was sent.
    ///   - now: The time at which the delay would begin.
    ///   - generator: The source of randomness for the jitter.
    /// - Returns: `nil` if the request is not sent again.
    mutating func wait(
        after outcome: Outcome, of request: SessionRequest, at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard count < policy.attempts, request.body?.isAvailable ?? true, isRepeated(request, after: outcome) else {
            return nil
        }
        var wait = bound * Double.random(in: 0...1, using: &generator)
        if case .responded(_, let asked?) = outcome {
            guard asked <= policy.maximumRetryAfter else { return nil }
            wait = max(wait, asked)
        }
        if let total = policy.totalTime, now + wait > start + total { return nil }
        count += 1
        return wait
    }

    private var bound: Duration {
        // Thirty doublings exceed every limit.
        min(policy.maximumDelay, policy.firstDelay * (1 << min(count, 30)))
    }

    private func isRepeated(_ request: SessionRequest, after outcome: Outcome) -> Bool {
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
    /// Whether no part of the request was sent, for a reason that may be temporary.
    fileprivate var isBeforeRequest: Bool {
        switch self {
        case .connection(.cannotConnectToSocket(_, .pathTooLong)), .connection(.cannotConnect(_, .noAddress)): false
        case .connection(.cannotResolve), .connection(.cannotConnect), .connection(.cannotConnectToSocket),
            .connection(.lost(_, .handshake)), .connection(.lost(_, .proxyTunnel)),
            .limit(.timedOut(_, .handshake, _, _)), .limit(.timedOut(_, .proxyTunnel, _, _)),
            .limit(.noConnectionOpened), .response(.streamReset(_, .refused)):
            true
        default: false
        }
    }

    /// Whether the request may have been sent, and no response arrived.
    fileprivate var isBeforeResponse: Bool {
        switch self {
        case .connection(.lost(_, .request)), .connection(.lost(_, .response)), .connection(.goAway(_, .request, _)),
            .connection(.goAway(_, .response, _)), .limit(.timedOut(_, .request, _, _)),
            .limit(.timedOut(_, .response, _, _)), .limit(.timedOut(_, .attempt, _, _)):
            true
        default: false
        }
    }
}

/// The value of a `Retry-After` field (RFC 9110 section 10.2.3).
package struct RetryAfter {
    /// The delay, which is never negative; a date in the past results in zero.
    package let wait: Duration

    /// The maximum value in seconds, longer than any delay, so that sums cannot overflow.
    private static let longest = 1 << 40

    /// Reads `Retry-After` from a response; `nil` if it is missing or malformed.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response. A date is relative to the server's own `Date`, if it is present,
    ///     because clocks differ.
    ///   - now: The current time, in seconds since 1970.
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
