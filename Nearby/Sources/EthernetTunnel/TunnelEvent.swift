// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// What happens to a tunnel while it runs.
public enum TunnelEvent: Sendable {
    /// The interfaces are there. Holds the TAP interface where it is made at the start, the bridge, and the UDP and TCP port.
    case started(interface: String?, bridge: String?, port: UInt16)
    /// An interface has become a port of the bridge, and the IPv4 address of this host on it answers no longer.
    case addressHidden(interface: String, bridge: String)
    /// Frames can be exchanged with a peer.
    ///
    /// - Parameters:
    ///   - peer: The subject of its certificate, its key, or its address for plain EtherIP.
    ///   - interface: The TAP interface of the peer.
    ///   - address: Where it is.
    ///   - pathMTU: The longest IP packet on the way, in bytes.
    ///   - innerMTU: The longest IP packet that goes through the tunnel in one piece, in bytes.
    case joined(peer: String, interface: String, address: String, pathMTU: Int, innerMTU: Int)
    /// New keys are in use with a peer.
    case rolled(peer: String)
    /// The address of a peer has changed.
    case moved(peer: String, address: String)
    /// The path to a peer takes packets of another length now. The lengths are as in ``joined(peer:interface:address:pathMTU:innerMTU:)``.
    case pathChanged(peer: String, pathMTU: Int, innerMTU: Int, by: PathEvidence)
    /// A peer has gone, and says why where it said so.
    case left(peer: String, reason: String)
    /// A peer is not let in, or no longer.
    case refused(peer: String, ErrorExplanation)
    /// An attempt failed; the next one is after some time.
    case retrying(peer: String, ErrorExplanation, after: Duration)
    /// A host's frames come back: the segments are joined elsewhere too.
    case loopSuspected(interface: String, hostAddress: String)
    /// How much went through each interface.
    case counters([String: TunnelCounters], refusedDatagrams: Int)
}

/// How it is known which packets a path takes.
public enum PathEvidence: String, Hashable, Sendable {
    /// The kernel says so: by the MTU of the interface, or by an ICMP message of a router.
    case kernel
    /// Longer probes were lost and this length was answered; no ICMP message said so.
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
