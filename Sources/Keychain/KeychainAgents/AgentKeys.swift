// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// The keys of one unlocked keychain, as two byte strings that the agent holds without interpreting them.
public struct AgentKeys: Hashable, Sendable {
    /// The maximum size of each of the two strings in bytes.
    static let maximumByteCount = 1024

    /// The keys for items that can be read until the keychain is locked.
    public let afterFirstUnlock: Secret
    /// The key for items that can be read only for some time after an unlock; `nil` after that time.
    public let whenUnlocked: Secret?

    /// Creates keys of at most 1,024 bytes each; an agent rejects longer ones.
    public init(afterFirstUnlock: Secret, whenUnlocked: Secret?) {
        self.afterFirstUnlock = afterFirstUnlock
        self.whenUnlocked = whenUnlocked
    }
}

/// The periods for which an agent holds the keys of a keychain.
///
/// The time during which the machine sleeps counts too.
public struct AgentLifetime: Hashable, Sendable {
    /// The time from the unlock until the agent forgets ``AgentKeys/whenUnlocked``.
    public var unlockPeriod: Duration
    /// The time from the last request for the keys until the agent forgets all of them; `nil` for no limit.
    public var idleTimeout: Duration?
    /// The time from the unlock until the agent forgets all keys, regardless of requests; `nil` for no limit.
    public var absoluteTimeout: Duration?

    /// Creates a lifetime; the defaults are fifteen minutes, one hour and twelve hours.
    ///
    /// The agent counts in whole seconds, rounded up, from 0 to 4,294,967,294; other durations are clamped to that
    /// range.
    public init(
        unlockPeriod: Duration = .seconds(15 * 60), idleTimeout: Duration? = .seconds(3600),
        absoluteTimeout: Duration? = .seconds(12 * 3600)
    ) {
        self.unlockPeriod = unlockPeriod
        self.idleTimeout = idleTimeout
        self.absoluteTimeout = absoluteTimeout
    }
}

/// A random number of 16 bytes that identifies a keychain.
public struct KeychainID: Hashable, Sendable {
    /// The number of bytes: 16.
    public static let byteCount = 16
    /// The identifier's 16 bytes.
    public let bytes: [UInt8]

    /// Creates an identifier from its bytes; `nil` unless there are 16.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// A keychain whose keys an agent holds, and the remaining time.
public struct HeldKeychain: Hashable, Sendable {
    /// The keychain.
    public let id: KeychainID
    /// The time until the agent forgets ``AgentKeys/whenUnlocked``; `nil` after it has.
    public let unlockRemaining: Duration?
    /// The time until the agent forgets all keys if no request arrives; `nil` if there is no limit.
    public let remaining: Duration?
}
