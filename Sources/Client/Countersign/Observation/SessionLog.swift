// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Logging
import NIOConcurrencyHelpers

/// Tells the user's logger what happens, and not the same thing without end.
final class SessionLog: Sendable {
    private let logger: Logger
    private let throttle: NIOLockedValueBox<LogThrottle>?

    init(_ logger: Logger, limit: LogLimit?) {
        self.logger = logger
        throttle = limit.map { NIOLockedValueBox(LogThrottle($0)) }
    }

    /// Logs an event, with the number of those that were left out before it.
    func note(_ event: SessionEvent) {
        guard logger.logLevel <= .debug else { return }
        let subject = event.subject
        guard let suppressed = throttle.map({ $0.withLockedValue { $0.admit(subject, at: .now) } }) ?? 0 else { return }
        logger.debug("\(event.summary)", metadata: suppressed > 0 ? ["suppressed": "\(suppressed)"] : nil)
    }
}

/// A limit of how often a session logs the same kind of event of the same host.
public struct LogLimit: Hashable, Sendable {
    /// The number of events that may be logged at once, and on average in each ``interval``.
    public var count: Int
    /// The time in which ``count`` further events may be logged, evenly spread.
    public var interval: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: The number of events; 0 for none at all.
    ///   - interval: The time; zero for no limit.
    public init(count: Int, interval: Duration) {
        (self.count, self.interval) = (count, interval)
    }
}

/// Decides which lines are logged: a bucket for each kind of event and each host, which loses one with each line and fills with time.
///
/// Time is a parameter.
struct LogThrottle {
    /// What a line is about.
    struct Subject: Hashable {
        let kind: SessionEvent.Kind
        let host: String
    }

    private struct Bucket {
        var lines: Double
        var filled: ContinuousClock.Instant
        var suppressed = 0
    }

    /// A client of more hosts than that has other troubles than a log that is too long.
    private static let subjectLimit = 1_024

    private let limit: LogLimit
    private var buckets: [Subject: Bucket] = [:]

    /// How many buckets there are.
    var subjectCount: Int { buckets.count }

    init(_ limit: LogLimit) {
        self.limit = limit
    }

    /// Whether a line is logged.
    ///
    /// - Parameters:
    ///   - subject: What it is about.
    ///   - now: The instant.
    /// - Returns: How many lines about the same were not logged since the last one that was; `nil` where this one is not either.
    mutating func admit(_ subject: Subject, at now: ContinuousClock.Instant) -> Int? {
        var bucket = buckets[subject] ?? Bucket(lines: Double(limit.count), filled: now)
        let part = limit.interval > .zero ? (now - bucket.filled) / limit.interval : 1
        bucket.lines = min(Double(limit.count), bucket.lines + part * Double(limit.count))
        bucket.filled = now
        let isLogged = bucket.lines >= 1
        let suppressed = bucket.suppressed
        if isLogged {
            bucket.lines -= 1
            bucket.suppressed = 0
        } else {
            bucket.suppressed += 1
        }
        if buckets[subject] == nil, buckets.count >= Self.subjectLimit { forget(at: now) }
        buckets[subject] = bucket
        return isLogged ? suppressed : nil
    }

    /// A bucket that is full again is as good as none; where none is, all begin anew.
    private mutating func forget(at now: ContinuousClock.Instant) {
        let interval = limit.interval
        buckets = buckets.filter { now - $0.value.filled < interval || $0.value.suppressed > 0 }
        if buckets.count >= Self.subjectLimit { buckets = [:] }
    }
}
