// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

extension WireGuardDevice {
    /// Adds a peer; one with an endpoint and a persistent keepalive is contacted at once.
    ///
    /// - Throws: ``WireGuardPeerError`` if the key is that of the device or of another peer, or is weak.
    package mutating func addPeer(
        _ peer: WireGuardPeer, now: Instant
    ) throws(WireGuardPeerError) {
        guard peer.publicKey != publicKey else { throw .ownKey }
        guard peers.position(of: peer.publicKey) == nil else { throw .knownKey }
        guard
            let partner = HandshakePartner(
                peer.publicKey, presharedKey: peer.presharedKey, identity: identity)
        else { throw .weakKey }
        peers.add(PeerState(peer, partner: partner))
        if peers[peer.publicKey]?.persistentKeepalive != nil { startHandshake(with: peer.publicKey, now: now) }
    }

    /// Removes a peer with its sessions and queued payloads; a reservation that a thread still holds can be used up.
    package mutating func removePeer(_ key: WireGuardPublicKey) {
        for index in peers[key]?.indices ?? [] { owners[index] = nil }
        peers.remove(key)
    }

    /// The keys of all peers.
    package var peerKeys: [WireGuardPublicKey] { peers.keys }

    /// The endpoint at which a peer was last or is expected; `nil` if that or the peer is not known.
    package func endpoint(of key: WireGuardPublicKey) -> WireGuardEndpoint? {
        // Without a copy of the peer, which each packet would make.
        peers.position(of: key).flatMap { peers.states[$0]?.endpoint }
    }

    /// When the last handshake with a peer ended in a session; `nil` if none did.
    package func latestHandshake(with key: WireGuardPublicKey) -> Instant? {
        peers[key]?.latestHandshake.map { started + $0 }
    }

    /// Changes the endpoint at which a peer is expected, such as after a name was resolved anew.
    package mutating func setEndpoint(_ endpoint: WireGuardEndpoint, of key: WireGuardPublicKey) {
        peers[key]?.endpoint = endpoint
    }

    /// Changes a peer's preshared key of 32 bytes from the next handshake on, or removes it; sessions go on.
    package mutating func setPresharedKey(_ presharedKey: SymmetricKey?, of key: WireGuardPublicKey) {
        peers[key]?.partner.presharedKey = presharedKey ?? HandshakePartner.noPresharedKey
    }

    /// Changes the device's static key from the next handshake on; sessions go on.
    ///
    /// The caller must have told the peers the new public key before. A peer with the same key is removed.
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
                // A handshake that has begun with the old key cannot be finished; its repetition has the new one.
                $0.handshake = nil
            }
        }
    }
}
