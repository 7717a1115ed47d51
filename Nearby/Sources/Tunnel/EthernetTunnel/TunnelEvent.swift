// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An event of a running tunnel.
public enum TunnelEvent: Sendable {
    /// The tunnel has started.
    ///
    /// Holds the TAP interface, `nil` for a listener, the bridge, `nil` for none, and the UDP and TCP port, 0 for none.
    case started(interface: String?, bridge: String?, port: UInt16)
    /// An interface has become a port of the bridge, and the IPv4 address of this host on it answers no longer.
    case addressHidden(interface: String, bridge: String)
    /// Frames can be exchanged with a peer.
    ///
    /// - Parameters:
    ///   - peer: The subject of its certificate, its key, or its address for plain EtherIP.
    ///   - interface: The TAP interface of the peer.
    ///   - address: The address of the peer.
    ///   - pathMTU: The longest IP packet on the way, in bytes; 0 if that is not known.
    ///   - innerMTU: The longest IP packet that goes through the tunnel in one piece, in bytes.
    case joined(peer: String, interface: String, address: String, pathMTU: Int, innerMTU: Int)
    /// New keys are in use with a peer, which was joined before.
    case rolled(peer: String)
    /// The address of a peer has changed. Holds the new one.
    case moved(peer: String, address: String)
    /// The path to a peer takes packets of another length now. The lengths are as in ``joined(peer:interface:address:pathMTU:innerMTU:)``.
    case pathChanged(peer: String, pathMTU: Int, innerMTU: Int, by: PathEvidence)
    /// A peer has left, or does not answer any more. Holds the reason.
    case left(peer: String, reason: String)
    /// The listener refuses a peer, or no longer accepts it. Holds the reason.
    case refused(peer: String, ErrorExplanation)
    /// An attempt to connect failed. Holds the reason, and the time until the next attempt.
    case retrying(peer: String, ErrorExplanation, after: Duration)
    /// Frames of a host went into the tunnel and came out of it, so the segments are joined elsewhere too. Holds the host's MAC address.
    case loopSuspected(interface: String, hostAddress: String)
    /// The counters of each interface, by the interface's name, and the number of datagrams that belonged to none.
    case counters([String: TunnelCounters], refusedDatagrams: Int)
}

/// The source of the knowledge which packets a path takes.
public enum PathEvidence: String, Hashable, Sendable {
    /// The kernel reported the length: from the MTU of the interface, or from an ICMP message of a router.
    case kernel
    /// Probes found the length: longer ones were lost and this length was answered, without an ICMP message.
    case probes
}

extension TunnelEvent {
    /// A MAC address in six pairs of hexadecimal digits.
    static func text(of address: UInt64) -> String {
        (0..<6).map { index in
            let byte = String(address >> UInt64(8 * (5 - index)) & 0xFF, radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }
}
