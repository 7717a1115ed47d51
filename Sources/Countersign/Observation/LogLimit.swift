// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How often a session logs the same kind of event of the same host.
public struct LogLimit: Hashable, Sendable {
    /// So many at once, and on average so many in an ``interval``.
    public var count: Int
    /// In which as many as ``count`` become possible again, evenly spread.
    public var interval: Duration

    /// A limit by its parts.
    ///
    /// - Parameters:
    ///   - count: At least 1.
    ///   - interval: More than nothing.
    public init(count: Int, interval: Duration) {
        (self.count, self.interval) = (count, interval)
    }
}
