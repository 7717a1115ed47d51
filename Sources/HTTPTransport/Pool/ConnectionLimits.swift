// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How many connections a session keeps, and for how long.
public struct ConnectionLimits: Hashable, Sendable {
    /// To the same origin, asked for in the same way; at least 1.
    public var perRoute: Int
    /// Altogether; at least 1.
    public var total: Int
    /// How long a connection waits for its next request; most servers keep theirs for less.
    public var keepAliveTimeout: Duration

    /// Limits; requests that find every connection busy wait, see `Session.Configuration.poolTimeout`.
    public init(perRoute: Int = 32, total: Int = 512, keepAliveTimeout: Duration = .seconds(60)) {
        self.perRoute = max(1, perRoute)
        self.total = max(1, total)
        self.keepAliveTimeout = keepAliveTimeout
    }
}
