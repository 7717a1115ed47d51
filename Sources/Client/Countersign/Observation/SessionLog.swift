// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Logging
import NIOConcurrencyHelpers

/// Writes events to the user's logger, with a limit on repeated events.
final class SessionLog: Sendable {
    private let logger: Logger
    private let throttle: NIOLockedValueBox<LogThrottle>?

    init(_ logger: Logger, limit: LogLimit?) {
        self.logger = logger
        throttle = limit.map { NIOLockedValueBox(LogThrottle($0)) }
    }

    /// Logs an event, with the number of similar events that were suppressed before it.
    func note(_ event: SessionEvent) {
        guard logger.logLevel <= .debug else { return }
        let subject = event.kind.subject
        guard let suppressed = throttle.map({ $0.withLockedValue { $0.admit(subject, at: .now) } }) ?? 0 else { return }
        var metadata: Logger.Metadata = [
            RequestIdentifier.attributeName: "\(event.requestIdentifier)",
            RequestIdentifier.attemptAttributeName: "\(event.attempt)",
        ]
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.debug("\(event.kind.summary)", metadata: metadata)
    }
}

/// A limit on how often a session logs the same kind of event for the same host.
public struct LogLimit: Hashable, Sendable {
    /// The number of events that may be logged at once, and on average in each ``interval``.
    public var count: Int
    /// The time over which ``count`` further events may be logged, evenly spread.
    public var interval: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: The number of events; 0 to log none.
    ///   - interval: The interval; zero for no limit.
    public init(count: Int, interval: Duration) {
        (self.count, self.interval) = (count, interval)
    }
}

/// Decides which lines are logged, with a token bucket for each kind of event and host.
///
/// The current time is a parameter.
struct LogThrottle {
    /// The subject of a log line.
    struct Subject: Hashable {
        /// The name of the event's kind.
        let name: String
        let host: String
    }

    private struct Bucket {
        var lines: Double
        var filled: ContinuousClock.Instant
        var suppressed = 0
    }

    /// The maximum number of buckets; above it, full buckets are discarded, or all buckets if none is full.
    private static let subjectLimit = 1_024

    private let limit: LogLimit
    private var buckets: [Subject: Bucket] = [:]

    /// The number of buckets.
    var subjectCount: Int { buckets.count }

    init(_ limit: LogLimit) {
        self.limit = limit
    }

    /// Decides whether a line is logged.
    ///
    /// - Parameters:
    ///   - subject: The subject of the line.
    ///   - now: The current time.
    /// - Returns: The number of lines about the subject that were suppressed since the last one logged; `nil` if this
    ///   one is suppressed too.
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

    /// Discards full buckets, which are equivalent to new ones; if there are none, discards all buckets.
    private mutating func forget(at now: ContinuousClock.Instant) {
        let interval = limit.interval
        buckets = buckets.filter { now - $0.value.filled < interval || $0.value.suppressed > 0 }
        if buckets.count >= Self.subjectLimit { buckets = [:] }
    }
}
