// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The intervals and limits of a tunnel.
public struct TunnelOptions: Hashable, Sendable {
    /// The default UDP and TCP port.
    public static let defaultPort: UInt16 = 51_897

    /// The time after which the connecting side replaces the keys; one hour by default.
    public var roll = Duration.seconds(3_600)
    /// The interval for evaluating the peer's certificate again; 30 seconds by default.
    public var recheck = Duration.seconds(30)
    /// The maximum interval between datagrams of the connecting side, to keep middlebox mappings alive; 20 seconds by
    /// default.
    public var keepalive = Duration.seconds(20)
    /// The maximum WireGuard payload that this side accepts, from 512 to 65,535 bytes; 65,000 by default.
    public var payloadLimit = 65_000
    /// The maximum number of peers of a listener; 64 by default.
    public var maximumPeerCount = 64
    /// The interval for reporting counters; `nil`, the default, disables the reports.
    public var counters: Duration?

    /// Creates the default options.
    public init() {}
}
