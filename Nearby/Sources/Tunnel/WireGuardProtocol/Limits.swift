// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A time since the start of a device, or a difference of two, in nanoseconds.
typealias Nanoseconds = Int64

/// The constants of the paper, section 6.1.
enum Limits {
    static let rekeyAfterMessages: UInt64 = 1 << 60
    static let rejectAfterMessages: UInt64 = .max - (1 << 13)
    static let rekeyAfterTime = 120 * second
    static let rejectAfterTime = 180 * second
    static let rekeyAttemptTime = 90 * second
    static let rekeyTimeout = 5 * second
    static let keepaliveTimeout = 10 * second
    /// The age at which the receiving initiator of a session begins a new handshake.
    static let rekeyAfterReceiving = rejectAfterTime - keepaliveTimeout - rekeyTimeout
    /// How long a cookie holds, and the secret from which it is made.
    static let cookieTime = 120 * second
    /// The least time between two initiations of a peer that are answered (as in wireguard-go).
    static let initiationInterval = second / 50
    /// The most that is added to the time of a retransmission, so that two peers do not keep colliding.
    static let greatestJitter = second / 3
    /// How many payloads wait for a handshake to end; the oldest one gives way.
    static let queuedPayloads = 128
    /// How many datagrams, and how many events, wait for the caller to take them.
    static let outgoingMessages = 4_096

    /// How often a persistent keepalive is sent (as in `wg`); any other interval is moved into this range.
    static let persistentKeepalives = second...(65_535 * second)

    static let second: Nanoseconds = 1_000_000_000
}
