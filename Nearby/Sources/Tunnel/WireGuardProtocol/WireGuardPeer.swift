// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

/// The configuration of a peer.
package struct WireGuardPeer: Sendable {
    /// The static public key that identifies the peer.
    package let publicKey: WireGuardPublicKey
    /// The preshared key of 32 bytes, in addition to the static keys; `nil` for none.
    package let presharedKey: SymmetricKey?
    /// The endpoint of the peer; `nil` if the peer starts the handshake.
    package let endpoint: WireGuardEndpoint?
    /// The maximum interval between datagrams, which keeps a NAT mapping alive: 1 to 65,535 s; `nil` or 0 disables it.
    package let persistentKeepalive: Duration?

    /// Creates the configuration of a peer.
    ///
    /// - Parameters:
    ///   - publicKey: The static public key that identifies the peer.
    ///   - presharedKey: The preshared key of 32 bytes; `nil` for none.
    ///   - endpoint: The endpoint of the peer; `nil` if the peer starts the handshake.
    ///   - persistentKeepalive: The maximum interval between datagrams: 1 to 65,535 s; `nil` or 0 disables it.
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
    /// The bytes of the datagram.
    package let bytes: [UInt8]
    /// The destination of the datagram.
    package let endpoint: WireGuardEndpoint
}

/// The result of receiving a datagram.
package enum WireGuardReceiveResult: Hashable, Sendable {
    /// The datagram contains a payload, including padding, in this range.
    case payload(Range<Int>, from: WireGuardPublicKey)
    /// The datagram is authentic and has no payload.
    case keepalive(from: WireGuardPublicKey)
    /// The datagram is a valid handshake message.
    case handshake
    /// The datagram was rejected. Holds the reason.
    case refused(WireGuardRefusal)
}

/// The reasons for rejecting a datagram.
package enum WireGuardRefusal: Hashable, Sendable, CaseIterable {
    /// The type is unknown, or the length does not match the type.
    case malformed
    /// The first MAC is wrong: the sender does not know this device's public key.
    case wrongMAC
    /// The device is under load and has sent a cookie, with which the sender can retry.
    case cookieRequired
    /// The source or the peer exceeds the limit for handshake messages.
    case rateLimited
    /// No peer has the key, or the datagram was not encrypted with the expected key.
    case notAuthentic
    /// No handshake or session has the index.
    case unknownIndex
    /// The datagram is a replay, or is older than the window.
    case replayed
    /// The session has expired.
    case expired
}

/// The result of sending a payload.
package enum WireGuardSendResult: Hashable, Sendable {
    /// The buffer starts with a datagram of this length.
    case datagram(length: Int, to: WireGuardEndpoint)
    /// There is no session; a copy of the payload is queued until the handshake completes.
    case queued
    /// The peer or its endpoint is unknown.
    case unreachable
}

/// An event of a peer.
package enum WireGuardEvent: Hashable, Sendable {
    /// A session with the peer is established in both directions.
    case established(WireGuardPublicKey)
    /// An authentic datagram of the peer came from a new endpoint, which is used from now on.
    case moved(WireGuardPublicKey, to: WireGuardEndpoint)
    /// The peer did not respond to handshakes for 90 s; the queued payloads were discarded.
    case unanswered(WireGuardPublicKey)
    /// The last session expired.
    case expired(WireGuardPublicKey)
}
