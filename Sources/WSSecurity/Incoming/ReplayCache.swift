// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Remembers messages until they expire, so that none counts twice.
public struct ReplayCache: Sendable {
    /// How many messages are remembered at most.
    public let mostMessages: Int
    private var expirations: [[UInt8]: Date] = [:]

    /// An empty cache.
    ///
    /// - Parameter mostMessages: How many messages are remembered at most; where more come before they expire, they
    ///   are refused.
    public init(mostMessages: Int = 100_000) { self.mostMessages = mostMessages }

    /// How many messages are remembered.
    public var count: Int { expirations.count }

    /// Remembers a message, which must be new.
    mutating func insert(_ identifier: [UInt8], until expiration: Date, at time: Date) throws(WSSecurityError) {
        if let known = expirations[identifier], known >= time { throw .replayed }
        if expirations.count >= mostMessages { expirations = expirations.filter { $0.value >= time } }
        guard expirations.count < mostMessages else { throw .replayCacheFull(most: mostMessages) }
        expirations[identifier] = expiration
    }
}
