// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The times and limits of a tunnel.
public struct TunnelOptions: Hashable, Sendable {
    /// The default port of UDP and TCP.
    public static let defaultPort: UInt16 = 51_897

    /// How long the side that connects uses a generation of keys; one hour by default.
    public var roll = Duration.seconds(3_600)
    /// The interval at which the peer's certificate is evaluated anew; 30 seconds by default.
    public var recheck = Duration.seconds(30)
    /// The interval at which the side that connects sends a datagram at least, so that middleboxes keep its mapping; 20 seconds by default.
    public var keepalive = Duration.seconds(20)
    /// The longest payload of WireGuard that this side accepts, from 512 to 65,535 bytes; 65,000 by default.
    public var payloadLimit = 65_000
    /// The most peers that a listener accepts; 64 by default.
    public var greatestPeerCount = 64
    /// The interval at which counters are reported; `nil`, the default, for never.
    public var counters: Duration?

    /// Makes the default times and limits.
    public init() {}
}
