// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A leaky bucket, to which each message adds one unit.
private struct LeakyBucket: Sendable {
    private var level = 0.0
    private(set) var changed: Nanoseconds

    init(now: Nanoseconds) { changed = now }

    /// Adds a message.
    ///
    /// - Returns: Whether the bucket overflows, in which case nothing is added.
    mutating func overflows(capacity: Int, leakingPerSecond rate: Int, now: Nanoseconds) -> Bool {
        level = max(0, level - Double(now - changed) / Double(Limits.second) * Double(rate))
        changed = now
        guard level + 1 <= Double(capacity) else { return true }
        level += 1
        return false
    }
}

/// Decides whether handshake messages require a cookie, and limits the messages of each source under load.
struct LoadLimiter: Sendable {
    /// The number of messages a second, and in a burst, that a source may send under load (as in wireguard-go).
    private static let sourceRate = 20
    private static let sourceBurst = 5
    /// The maximum number of tracked sources.
    private static let maximumSourceCount = 8_192
    /// The number of messages a second that are answered for all other sources together.
    private static let othersRate = 100

    private let handshakesPerSecond: Int
    private var all: LeakyBucket
    private var sources: [WireGuardEndpoint: LeakyBucket] = [:]
    /// The time of the next removal of idle sources, which takes time for each source.
    private var nextSweep: Nanoseconds = 0
    /// The shared bucket of the sources that do not fit in the full table.
    private var others: LeakyBucket

    init(handshakesPerSecond: Int, now: Nanoseconds) {
        self.handshakesPerSecond = handshakesPerSecond
        (all, others) = (LeakyBucket(now: now), LeakyBucket(now: now))
    }

    /// Counts a handshake message.
    ///
    /// - Returns: Whether the rate exceeds the limit for answers without cookies.
    mutating func isUnderLoad(now: Nanoseconds) -> Bool {
        all.overflows(capacity: handshakesPerSecond, leakingPerSecond: handshakesPerSecond, now: now)
    }

    /// Counts a message of a source with a valid cookie.
    ///
    /// If more than 8,192 sources send within a second, which is possible with a single IPv6 /48, the further sources
    /// share one bucket: some of their messages are still answered, and the total work is bounded.
    ///
    /// - Returns: Whether the message is answered.
    mutating func admits(_ endpoint: WireGuardEndpoint, now: Nanoseconds) -> Bool {
        let source = endpoint.network
        if sources[source] == nil, sources.count >= Self.maximumSourceCount {
            if now >= nextSweep {
                sources = sources.filter { now - $0.value.changed < Limits.second }
                nextSweep = now + Limits.second
            }
            guard sources.count < Self.maximumSourceCount else {
                return !others.overflows(capacity: Self.othersRate, leakingPerSecond: Self.othersRate, now: now)
            }
        }
        return !sources[source, default: LeakyBucket(now: now)].overflows(
            capacity: Self.sourceBurst, leakingPerSecond: Self.sourceRate, now: now)
    }
}
