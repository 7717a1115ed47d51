// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import WireGuardProtocol

    /// What a generation of keys with a peer is made of.
    struct GenerationKeys: Sendable {
        /// Made for this generation, or given by the user for peers of other makers.
        let privateKey: Curve25519.KeyAgreement.PrivateKey
        let peerKey: WireGuardPublicKey
        let presharedKey: SymmetricKey?
    }

    /// What the data plane must know of a generation.
    struct GenerationSettings: Sendable {
        let keys: GenerationKeys
        /// Where the peer is; `nil` until it sends something.
        var endpoint: WireGuardEndpoint?
        var encapsulation: Encapsulation
        /// The longest payload of WireGuard that the peer takes, in bytes.
        var payloadLimit: Int
        /// How often something is sent at least, so that middleboxes keep the way open; `nil` for never.
        var keepalive: Duration?
    }

    /// One generation of keys with one peer: a separate device of WireGuard, so that to remove it ends everything under its keys.
    final class Generation {
        typealias Identifier = UInt64

        let identifier: Identifier
        let port: TunnelPort
        let key: WireGuardPublicKey
        let encapsulation: Encapsulation
        var device: WireGuardDevice
        /// Whether packets can be sent both ways.
        var isEstablished = false
        private let payloadLimit: Int
        /// The longest IP packet to the peer that is not divided on the way, in bytes.
        private(set) var pathMTU = 1_280

        init(
            _ identifier: Identifier, _ settings: GenerationSettings, port: TunnelPort, now: ContinuousClock.Instant,
            unixTime: Duration
        ) throws(WireGuardPeerError) {
            (self.identifier, self.port) = (identifier, port)
            (key, encapsulation, payloadLimit) = (settings.keys.peerKey, settings.encapsulation, settings.payloadLimit)
            device = WireGuardDevice(privateKey: settings.keys.privateKey, now: now, unixTime: unixTime)
            try device.addPeer(
                WireGuardPeer(
                    publicKey: key, presharedKey: settings.keys.presharedKey, endpoint: settings.endpoint,
                    persistentKeepalive: settings.keepalive), now: now)
            updatePathMTU()
        }

        var endpoint: WireGuardEndpoint? { device.endpoint(of: key) }

        /// Asks the kernel for the path's MTU.
        ///
        /// - Returns: Whether it has changed.
        @discardableResult func updatePathMTU() -> Bool {
            guard let mtu = endpoint?.pathMTU, mtu != pathMTU else { return false }
            pathMTU = mtu
            return true
        }

        /// The longest payload of WireGuard that fits the path, in bytes.
        var greatestPayload: Int { min(pathMTU - (endpoint?.headerSize ?? 48) - 32, payloadLimit) }

        /// The longest frame that is sent in one piece, in bytes.
        var frameLimit: Int { greatestPayload - encapsulation.overhead }

        /// The longest IP packet that is sent in one piece, also with an 802.1Q tag, in bytes.
        var innerMTU: Int { frameLimit - 18 }

        /// The address that inner IP packets must come from.
        var innerSource: [UInt8]? {
            switch encapsulation {
            case .direct: nil
            case .ip(let addresses): addresses.remote
            }
        }
    }
#endif
