// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The times and limits of a tunnel.
public struct TunnelOptions: Hashable, Sendable {
    /// The default port of UDP and TCP.
    public static let defaultPort: UInt16 = 51_897

    /// How long a generation of keys is used.
    public var roll = Duration.seconds(3_600)
    /// How often the peer's certificate is evaluated anew.
    public var recheck = Duration.seconds(30)
    /// How often something is sent at least, so that middleboxes keep the way open.
    public var keepalive = Duration.seconds(20)
    /// The longest payload of WireGuard that this side takes, in bytes.
    public var payloadLimit = 65_000
    /// How many peers a listener takes.
    public var greatestPeerCount = 64
    /// How often counters are reported; `nil` for never.
    public var counters: Duration?

    /// The usual times and limits.
    public init() {}
}
