// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

/// A peer as it is configured.
package struct WireGuardPeer: Sendable {
    /// The static key by which the peer is known.
    package let publicKey: WireGuardPublicKey
    /// The secret key of 32 bytes that both sides share besides their static keys; `nil` for none.
    package let presharedKey: SymmetricKey?
    /// The endpoint of the peer; `nil` if the peer makes contact first.
    package let endpoint: WireGuardEndpoint?
    /// The interval at which the device sends a datagram at least, which keeps a NAT's mapping: 1 to 65,535 s; `nil` or 0 for never.
    package let persistentKeepalive: Duration?

    /// Makes the configuration of a peer.
    ///
    /// - Parameters:
    ///   - publicKey: The static key by which the peer is known.
    ///   - presharedKey: A secret key of 32 bytes that both sides share; `nil` for none.
    ///   - endpoint: The endpoint of the peer; `nil` if the peer makes contact first.
    ///   - persistentKeepalive: The interval at which the device sends a datagram at least: 1 to 65,535 s; `nil` or 0 for never.
    package init(
        publicKey: WireGuardPublicKey, presharedKey: SymmetricKey? = nil, endpoint: WireGuardEndpoint? = nil,
        persistentKeepalive: Duration? = nil
    ) {
        (self.publicKey, self.presharedKey) = (publicKey, presharedKey)
        (self.endpoint, self.persistentKeepalive) = (endpoint, persistentKeepalive)
    }
}

/// A datagram to send.
package struct WireGuardDatagram: Hashable, Sendable {
    /// All bytes of the datagram.
    package let bytes: [UInt8]
    /// The endpoint to which the datagram is sent.
    package let endpoint: WireGuardEndpoint
}

/// The result of receiving a datagram.
package enum WireGuardReceipt: Hashable, Sendable {
    /// The datagram holds a payload, with its padding, in this range.
    case payload(Range<Int>, from: WireGuardPublicKey)
    /// The datagram is authentic and has no payload.
    case keepalive(from: WireGuardPublicKey)
    /// The datagram belongs to a handshake, and was used.
    case handshake
    /// The datagram was refused. Holds the reason.
    case refused(WireGuardRefusal)
}

/// Why a datagram was refused.
package enum WireGuardRefusal: Hashable, Sendable, CaseIterable {
    /// The type is unknown, or the length is not that of the type.
    case malformed
    /// The first MAC is wrong, so that the sender does not know our public key.
    case wrongMAC
    /// The device is under load and has sent a cookie, with which the sender may try again.
    case cookieRequired
    /// The source, or the peer, sends more handshake messages than are answered.
    case rateLimited
    /// No peer has the key, or the datagram was not encrypted with the expected one.
    case notAuthentic
    /// No handshake or session has the index.
    case unknownIndex
    /// The datagram was received before, or it is older than the window.
    case replayed
    /// The session is past its age.
    case expired
}

/// The result of sending a payload.
package enum WireGuardSending: Hashable, Sendable {
    /// The buffer begins with a datagram of this length.
    case datagram(length: Int, to: WireGuardEndpoint)
    /// There is no session; a copy of the payload waits for the end of the handshake.
    case queued
    /// The peer or its endpoint is not known.
    case unreachable
}

/// A change of a peer.
package enum WireGuardEvent: Hashable, Sendable {
    /// A session with the peer can be used both ways.
    case established(WireGuardPublicKey)
    /// An authentic datagram of the peer came from a new endpoint, to which answers now go.
    case moved(WireGuardPublicKey, to: WireGuardEndpoint)
    /// Handshakes were tried for 90 s without an answer; the queued payloads were dropped.
    case unanswered(WireGuardPublicKey)
    /// The last session ended by its age.
    case expired(WireGuardPublicKey)
}
