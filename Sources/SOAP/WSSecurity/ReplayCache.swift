// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import EssentialFoundation

/// Remembers messages until they expire, so that none is accepted twice.
public struct ReplayCache: Sendable {
    /// The most messages that are remembered.
    public let mostMessages: Int
    private var expirations: [[UInt8]: Date] = [:]

    /// Creates an empty cache.
    ///
    /// - Parameter mostMessages: The most messages that are remembered; 100,000 by default. While that many have not expired, further ones
    ///   are refused.
    public init(mostMessages: Int = 100_000) { self.mostMessages = mostMessages }

    /// The number of remembered messages, including expired ones that were not removed yet.
    public var count: Int { expirations.count }

    /// Remembers the identifiers of a message, each of which must be new.
    mutating func insert(
        _ identifiers: [(identifier: [UInt8], expiration: Date)], at time: Date
    ) throws(WSSecurityError) {
        for (identifier, _) in identifiers {
            if let known = expirations[identifier], known >= time { throw .replayed }
        }
        if expirations.count + identifiers.count > mostMessages {
            expirations = expirations.filter { $0.value >= time }
        }
        guard expirations.count + identifiers.count <= mostMessages else { throw .replayCacheFull(most: mostMessages) }
        for (identifier, expiration) in identifiers { expirations[identifier] = expiration }
    }
}
