// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A bucket into which each message adds one and which leaks with time.
private struct LeakyBucket: Sendable {
    private var level = 0.0
    private(set) var changed: Nanoseconds

    init(now: Nanoseconds) { changed = now }

    /// Adds one message.
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

/// Decides when handshake messages need a cookie, and how many of one source are answered then.
struct LoadLimiter: Sendable {
    /// How many messages a source may send in a second and at once, once the device is under load (as in wireguard-go).
    private static let sourceRate = 20
    private static let sourceBurst = 5
    /// How many sources are remembered.
    private static let greatestSourceCount = 8_192
    /// How many messages of all other sources together are answered in a second.
    private static let othersRate = 100

    private let handshakesPerSecond: Int
    private var all: LeakyBucket
    private var sources: [WireGuardEndpoint: LeakyBucket] = [:]
    /// When sources that are quiet are looked for again, which takes time for each source.
    private var nextSweep: Nanoseconds = 0
    /// Of the sources that the full table has no room for.
    private var others: LeakyBucket

    init(handshakesPerSecond: Int, now: Nanoseconds) {
        self.handshakesPerSecond = handshakesPerSecond
        (all, others) = (LeakyBucket(now: now), LeakyBucket(now: now))
    }

    /// Counts a handshake message.
    ///
    /// - Returns: Whether there are more of them than the device wants to answer without cookies.
    mutating func isUnderLoad(now: Nanoseconds) -> Bool {
        all.overflows(capacity: handshakesPerSecond, leakingPerSecond: handshakesPerSecond, now: now)
    }

    /// Counts a message of a source that has shown its cookie.
    ///
    /// Where 8,192 sources have sent within a second, as one with a /48 of IPv6 can, the others share one bucket: each of their messages has
    /// a chance, and the work for all is bounded.
    ///
    /// - Returns: Whether it is answered.
    mutating func admits(_ endpoint: WireGuardEndpoint, now: Nanoseconds) -> Bool {
        let source = endpoint.network
        if sources[source] == nil, sources.count >= Self.greatestSourceCount {
            if now >= nextSweep {
                sources = sources.filter { now - $0.value.changed < Limits.second }
                nextSweep = now + Limits.second
            }
            guard sources.count < Self.greatestSourceCount else {
                return !others.overflows(capacity: Self.othersRate, leakingPerSecond: Self.othersRate, now: now)
            }
        }
        return !sources[source, default: LeakyBucket(now: now)].overflows(
            capacity: Self.sourceBurst, leakingPerSecond: Self.sourceRate, now: now)
    }
}
