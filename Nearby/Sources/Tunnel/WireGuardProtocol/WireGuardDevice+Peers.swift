// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

extension WireGuardDevice {
    /// Adds a peer; if it has an endpoint and a persistent keepalive, a handshake starts at once.
    ///
    /// - Throws: ``WireGuardPeerError`` if the key is that of the device or another peer, or is weak.
    package mutating func addPeer(
        _ peer: WireGuardPeer, now: Instant
    ) throws(WireGuardPeerError) {
        guard peer.publicKey != publicKey else { throw .ownKey }
        guard peers.position(of: peer.publicKey) == nil else { throw .duplicateKey }
        guard
            let partner = HandshakePartner(
                peer.publicKey, presharedKey: peer.presharedKey, identity: identity)
        else { throw .weakKey }
        peers.add(PeerState(peer, partner: partner))
        if peers[peer.publicKey]?.persistentKeepalive != nil { startHandshake(with: peer.publicKey, now: now) }
    }

    /// Removes a peer with its sessions and queued payloads; a thread can still use an existing reservation.
    package mutating func removePeer(_ key: WireGuardPublicKey) {
        for index in peers[key]?.indices ?? [] { owners[index] = nil }
        peers.remove(key)
    }

    /// The keys of all peers.
    package var peerKeys: [WireGuardPublicKey] { peers.keys }

    /// Returns the current or configured endpoint of a peer; `nil` if it or the peer is unknown.
    package func endpoint(of key: WireGuardPublicKey) -> WireGuardEndpoint? {
        // The access avoids copying the peer for each packet.
        peers.position(of: key).flatMap { peers.states[$0]?.endpoint }
    }

    /// Returns the time at which the last handshake with a peer completed; `nil` if there was none.
    package func latestHandshake(with key: WireGuardPublicKey) -> Instant? {
        peers[key]?.latestHandshake.map { started + $0 }
    }

    /// Changes the endpoint of a peer, such as after its host name was resolved again.
    package mutating func setEndpoint(_ endpoint: WireGuardEndpoint, of key: WireGuardPublicKey) {
        peers[key]?.endpoint = endpoint
    }

    /// Changes a peer's 32-byte preshared key for future handshakes, or removes it; existing sessions continue.
    package mutating func setPresharedKey(_ presharedKey: SymmetricKey?, of key: WireGuardPublicKey) {
        peers[key]?.partner.presharedKey = presharedKey ?? HandshakePartner.noPresharedKey
    }

    /// Changes the device's static key for future handshakes; existing sessions continue.
    ///
    /// The caller must have distributed the new public key to the peers before. A peer with the same key is removed.
    package mutating func setPrivateKey(_ privateKey: Curve25519.KeyAgreement.PrivateKey) {
        identity = WireGuardIdentity(privateKey)
        cookies = CookieResponder(publicKey: publicKey)
        for key in peers.keys {
            let presharedKey = peers[key]?.partner.presharedKey
            guard key != publicKey,
                let partner = HandshakePartner(key, presharedKey: presharedKey, identity: identity)
            else {
                removePeer(key)
                continue
            }
            withPeer(key) {
                $0.partner = partner
                // A handshake started with the old key cannot be completed; its retransmission uses the new key.
                $0.handshake = nil
            }
        }
    }
}
