// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The limits of the connections of a session: their number, and their idle time.
public struct ConnectionLimits: Hashable, Sendable {
    /// The largest number of connections to the same origin with the same proxy and settings; 32 by default, at least 1.
    public var perRoute: Int { didSet { perRoute = max(1, perRoute) } }
    /// The largest number of connections in all; 512 by default, at least 1.
    public var total: Int { didSet { total = max(1, total) } }
    /// How long an idle connection is kept for its next request; 60 seconds by default.
    ///
    /// Most servers close it earlier.
    public var keepAliveTimeout: Duration

    /// Makes limits; numbers below 1 count as 1.
    ///
    /// Requests that find every connection busy wait, see `Session.Configuration.poolTimeout`.
    public init(perRoute: Int = 32, total: Int = 512, keepAliveTimeout: Duration = .seconds(60)) {
        self.perRoute = max(1, perRoute)
        self.total = max(1, total)
        self.keepAliveTimeout = keepAliveTimeout
    }
}
