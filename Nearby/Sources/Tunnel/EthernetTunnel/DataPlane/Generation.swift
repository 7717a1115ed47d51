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
        // One thread comes here; see `WireGuardPlane`.
        @exclusivity(unchecked) var device: WireGuardDevice
        /// Whether packets can be sent both ways.
        @exclusivity(unchecked) var isEstablished = false
        /// Whether packets were sent since the last look at the path that a narrower one would not take.
        @exclusivity(unchecked) var hasSentLongPackets = false
        /// The longest payload of WireGuard that fits the path, in bytes; kept, as it is asked for with each frame.
        @exclusivity(unchecked) private(set) var greatestPayload = 0
        /// The longest payload that fits nearly every path, in bytes.
        @exclusivity(unchecked) private(set) var leastPayload = 0
        private let payloadLimit: Int
        private var kernelMTU = PathSearch.base
        @exclusivity(unchecked) private var search: PathSearch {
            didSet { keepLimits() }
        }
        /// What was told of the path last.
        private var toldPath: PathLimits?

        init(
            _ identifier: Identifier, _ settings: GenerationSettings, port: TunnelPort, now: Instant,
            unixTime: Duration
        ) throws(WireGuardPeerError) {
            (self.identifier, self.port) = (identifier, port)
            (key, encapsulation, payloadLimit) = (settings.keys.peerKey, settings.encapsulation, settings.payloadLimit)
            search = PathSearch(limit: kernelMTU, now: now, isPossible: false)
            device = WireGuardDevice(privateKey: settings.keys.privateKey, now: now, unixTime: unixTime)
            try device.addPeer(
                WireGuardPeer(
                    publicKey: key, presharedKey: settings.keys.presharedKey, endpoint: settings.endpoint,
                    persistentKeepalive: settings.keepalive), now: now)
            updatePathMTU(now: now)
        }

        var endpoint: WireGuardEndpoint? { device.endpoint(of: key) }

        /// The longest frame that is sent in one piece, in bytes.
        var frameLimit: Int { greatestPayload - encapsulation.overhead }

        private func keepLimits() {
            (greatestPayload, leastPayload) = (greatestPayload(in: search.length), greatestPayload(in: PathSearch.base))
        }

        private func greatestPayload(in packet: Int) -> Int {
            min(packet - (endpoint?.headerSize ?? 48) - WireGuardReservation.overhead, payloadLimit)
        }

        /// The address that inner IP packets must come from.
        var innerSource: [UInt8]? {
            switch encapsulation {
            case .direct: nil
            case .ip(let addresses): addresses.remote
            }
        }
    }

    // MARK: - The path

    extension Generation {
        private var path: PathLimits {
            // The longest IP packet has a header of Ethernet before it, also with an 802.1Q tag.
            PathLimits(
                mtu: search.expected, innerMTU: greatestPayload(in: search.expected) - encapsulation.overhead - 18)
        }

        /// When ``takeProbe(now:)`` is to be called next.
        var searchDeadline: Instant? { isEstablished ? search.deadline : nil }

        /// Asks the kernel for the path's MTU, and begins to probe the path where that has changed.
        ///
        /// - Parameters:
        ///   - now: The time.
        ///   - hasMoved: Whether the peer is elsewhere, so that the path is another one.
        /// - Returns: What the path takes now, where that is to be told.
        @discardableResult func updatePathMTU(now: Instant, hasMoved: Bool = false) -> PathLimits? {
            // The first endpoint may only now be known.
            keepLimits()
            guard let mtu = endpoint?.pathMTU, mtu != kernelMTU || hasMoved else { return nil }
            kernelMTU = mtu
            // Peers of other makers answer no probes.
            search = PathSearch(limit: mtu, now: now, isPossible: encapsulation == .direct)
            return isEstablished && path != toldPath ? tellPath() : nil
        }

        /// What the path takes, as far as is known, to be told to the user.
        func tellPath() -> PathLimits {
            let path = path
            toldPath = path
            return path
        }

        /// The probe that is due, as a payload: its message and how long it is.
        func takeProbe(now: Instant) -> (message: PathMessage, payload: Int)? {
            guard isEstablished, let probe = search.advance(isUsed: hasSentLongPackets, now: now) else { return nil }
            hasSentLongPackets = false
            return (PathMessage(.probe, probe.identifier), greatestPayload(in: probe.length))
        }

        func takeAnswer(to identifier: UInt32, now: Instant) {
            search.takeAnswer(to: identifier, now: now)
        }

        /// What the path takes, where probes have shown that it is not what was told.
        func takeProbeNews() -> PathLimits? { search.takeNews().map { _ in tellPath() } }
    }

    /// The longest packets that are sent in one piece.
    struct PathLimits: Hashable, Sendable {
        /// The longest IP packet on the way, in bytes.
        let mtu: Int
        /// The longest IP packet within the tunnel, in bytes.
        let innerMTU: Int
    }
#endif
