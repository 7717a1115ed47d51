// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// The keys of one unlocked keychain, as an agent holds them: two texts that it does not look into.
public struct AgentKeys: Hashable, Sendable {
    /// The most bytes of one of the two.
    static let mostBytes = 1024

    /// The key of items that can be read until the keychain is locked.
    public let afterFirstUnlock: Secret
    /// The key of items that can be read for a while after an unlock only; `nil` when that while is over.
    public let whenUnlocked: Secret?

    /// Keys of at most 1,024 bytes each.
    public init(afterFirstUnlock: Secret, whenUnlocked: Secret?) {
        self.afterFirstUnlock = afterFirstUnlock
        self.whenUnlocked = whenUnlocked
    }
}

/// How long an agent holds the keys of a keychain.
///
/// Time goes on while the machine sleeps.
public struct AgentLifetime: Hashable, Sendable {
    /// From the unlock until ``AgentKeys/whenUnlocked`` is forgotten.
    public var unlockPeriod: Duration
    /// From the last request for the keys until all are forgotten; `nil` for no limit.
    public var idleTimeout: Duration?
    /// From the unlock until all are forgotten, whatever happens; `nil` for no limit.
    public var absoluteTimeout: Duration?

    /// Fifteen minutes, one hour and twelve hours, unless said otherwise.
    ///
    /// Durations count in whole seconds, from 1 to 4,294,967,294; others are brought into that range.
    public init(
        unlockPeriod: Duration = .seconds(15 * 60), idleTimeout: Duration? = .seconds(3600),
        absoluteTimeout: Duration? = .seconds(12 * 3600)
    ) {
        self.unlockPeriod = unlockPeriod
        self.idleTimeout = idleTimeout
        self.absoluteTimeout = absoluteTimeout
    }
}

/// A keychain's random number of 16 bytes, which names it to an agent.
public struct KeychainID: Hashable, Sendable {
    /// The number of its bytes.
    public static let byteCount = 16
    /// The identifier's 16 bytes.
    public let bytes: [UInt8]

    /// Returns `nil` unless there are 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// A keychain whose keys an agent holds, and for how long yet.
public struct HeldKeychain: Hashable, Sendable {
    /// The keychain.
    public let id: KeychainID
    /// Until ``AgentKeys/whenUnlocked`` is forgotten; `nil` when it is.
    public let unlockRemaining: Duration?
    /// Until all keys are forgotten if no request comes; `nil` where there is no limit.
    public let remaining: Duration?
}
