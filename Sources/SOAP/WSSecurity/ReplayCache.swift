// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import EssentialFoundation

/// A cache of message identifiers until their expiration, so that no message is accepted twice.
public struct ReplayCache: Sendable {
    /// The maximum number of cached identifiers.
    public let maximumMessageCount: Int
    private var expirations: [[UInt8]: Date] = [:]

    /// Creates an empty cache.
    ///
    /// - Parameter maximumMessageCount: The maximum number of cached identifiers; 100,000 by default. Further messages
    ///   are refused until entries expire.
    public init(maximumMessageCount: Int = 100_000) { self.maximumMessageCount = maximumMessageCount }

    /// The number of cached identifiers, including expired ones that have not been removed yet.
    public var count: Int { expirations.count }

    /// Adds the identifiers of a message, each of which must be new.
    mutating func insert(
        _ identifiers: [(identifier: [UInt8], expiration: Date)], at time: Date
    ) throws(WSSecurityError) {
        for (identifier, _) in identifiers {
            if let known = expirations[identifier], known >= time { throw .replayed }
        }
        if expirations.count + identifiers.count > maximumMessageCount {
            expirations = expirations.filter { $0.value >= time }
        }
        guard expirations.count + identifiers.count <= maximumMessageCount else {
            throw .replayCacheFull(limit: maximumMessageCount)
        }
        for (identifier, expiration) in identifiers { expirations[identifier] = expiration }
    }
}
