// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A time since the start of a device, or a duration, in nanoseconds.
typealias Nanoseconds = Int64

/// The constants of section 6.1 of the paper.
enum Limits {
    static let rekeyAfterMessages: UInt64 = 1 << 60
    static let rejectAfterMessages: UInt64 = .max - (1 << 13)
    static let rekeyAfterTime = 120 * second
    static let rejectAfterTime = 180 * second
    static let rekeyAttemptTime = 90 * second
    static let rekeyTimeout = 5 * second
    static let keepaliveTimeout = 10 * second
    /// The session age at which a received packet makes the initiator start a new handshake.
    static let rekeyAfterReceiving = rejectAfterTime - keepaliveTimeout - rekeyTimeout
    /// The lifetime of a cookie, and of the secret for cookies.
    static let cookieTime = 120 * second
    /// The minimum interval between two initiations of a peer that are answered (as in wireguard-go).
    static let initiationInterval = second / 50
    /// The maximum random delay added to a retransmission, so that two peers do not collide repeatedly.
    static let maximumJitter = second / 3
    /// The maximum number of payloads queued during a handshake; a further payload replaces the oldest one.
    static let queuedPayloads = 128
    /// The maximum number of queued datagrams, and of queued events, for the caller.
    static let outgoingMessages = 4_096

    /// The valid range of the persistent keepalive interval (as in `wg`); any other interval is clamped to it.
    static let persistentKeepalives = second...(65_535 * second)

    static let second: Nanoseconds = 1_000_000_000
}
