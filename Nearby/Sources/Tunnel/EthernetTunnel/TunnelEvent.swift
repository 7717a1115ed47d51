// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An event of a running tunnel.
public enum TunnelEvent: Sendable {
    /// The tunnel has started.
    ///
    /// Holds the TAP interface (`nil` for a listener), the bridge (`nil` for none), and the UDP and TCP port (0 for
    /// none).
    case started(interface: String?, bridge: String?, port: UInt16)
    /// The interface became a port of the bridge, so the host's IPv4 address on it no longer responds.
    case addressHidden(interface: String, bridge: String)
    /// The tunnel to a peer is established.
    ///
    /// - Parameters:
    ///   - peer: The subject of the peer's certificate, its key, or its address for plain EtherIP.
    ///   - interface: The TAP interface of the peer.
    ///   - address: The address of the peer.
    ///   - pathMTU: The maximum IP packet on the path, in bytes; 0 if unknown.
    ///   - innerMTU: The maximum IP packet that the tunnel carries unfragmented, in bytes.
    case joined(peer: String, interface: String, address: String, pathMTU: Int, innerMTU: Int)
    /// New keys are in use with an established peer.
    case rolled(peer: String)
    /// The address of a peer changed. Holds the new address.
    case moved(peer: String, address: String)
    /// The path MTU to a peer changed. The lengths have the same meaning as in
    /// ``joined(peer:interface:address:pathMTU:innerMTU:)``.
    case pathChanged(peer: String, pathMTU: Int, innerMTU: Int, by: PathEvidence)
    /// The peer closed the tunnel or no longer responds. Holds the reason.
    case left(peer: String, reason: String)
    /// The listener rejected a peer, or no longer accepts it. Holds the reason.
    case refused(peer: String, ErrorExplanation)
    /// A connection attempt failed. Holds the reason and the delay before the next attempt.
    case retrying(peer: String, ErrorExplanation, after: Duration)
    /// The frames of a host both entered and left the tunnel on one side, so the segments are also connected elsewhere.
    /// Holds the host's MAC address.
    case loopSuspected(interface: String, hostAddress: String)
    /// The counters by interface name, and the number of datagrams without a matching interface.
    case counters([String: TunnelCounters], refusedDatagrams: Int)
}

/// The source of a path MTU.
public enum PathEvidence: String, Hashable, Sendable {
    /// The kernel reported the MTU, from the interface or from a router's ICMP message.
    case kernel
    /// Probes found the MTU: longer ones were lost and this length was acknowledged, without an ICMP message.
    case probes
}

extension TunnelEvent {
    /// Returns a MAC address as six pairs of hexadecimal digits.
    static func text(of address: UInt64) -> String {
        (0..<6).map { index in
            let byte = String(address >> UInt64(8 * (5 - index)) & 0xFF, radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }
}
