// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
