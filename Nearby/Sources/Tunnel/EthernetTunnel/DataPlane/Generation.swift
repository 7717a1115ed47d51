// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import WireGuardProtocol

    /// The keys of a key generation with a peer.
    struct GenerationKeys: Sendable {
        /// The private key, either generated for this generation or configured for another WireGuard implementation.
        let privateKey: Curve25519.KeyAgreement.PrivateKey
        let peerKey: WireGuardPublicKey
        let presharedKey: SymmetricKey?
    }

    /// The data plane's settings of a key generation.
    struct GenerationSettings: Sendable {
        let keys: GenerationKeys
        /// The peer's endpoint; `nil` until the first packet from the peer.
        var endpoint: WireGuardEndpoint?
        var encapsulation: Encapsulation
        /// The maximum WireGuard payload that the peer accepts, in bytes.
        var payloadLimit: Int
        /// The maximum interval between packets, to keep middlebox state alive; `nil` for no keepalive.
        var keepalive: Duration?
    }

    /// A key generation with one peer: a separate WireGuard device, whose removal discards all state of its keys.
    final class Generation {
        typealias Identifier = UInt64

        let identifier: Identifier
        let port: TunnelPort
        let key: WireGuardPublicKey
        let encapsulation: Encapsulation
        // Only one thread uses the device; see `WireGuardPlane`.
        @exclusivity(unchecked) var device: WireGuardDevice
        /// Whether the tunnel is established in both directions.
        @exclusivity(unchecked) var isEstablished = false
        /// Whether packets longer than the base size were sent since the last probe of the path.
        @exclusivity(unchecked) var hasSentLongPackets = false
        /// The maximum WireGuard payload that fits the path, in bytes; stored because every frame needs it.
        @exclusivity(unchecked) private(set) var maximumPayload = 0
        /// The maximum payload that fits nearly every path, in bytes.
        @exclusivity(unchecked) private(set) var basePayload = 0
        private let payloadLimit: Int
        private var kernelMTU = PathSearch.base
        @exclusivity(unchecked) private var search: PathSearch {
            didSet { updateLimits() }
        }
        /// The most recently reported path limits.
        private var reportedPath: PathLimits?

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

        /// The maximum frame that is sent unfragmented, in bytes.
        var frameLimit: Int { maximumPayload - encapsulation.overhead }

        private func updateLimits() {
            (maximumPayload, basePayload) = (maximumPayload(in: search.length), maximumPayload(in: PathSearch.base))
        }

        private func maximumPayload(in packet: Int) -> Int {
            min(packet - (endpoint?.headerSize ?? 48) - WireGuardReservation.overhead, payloadLimit)
        }

        /// The required source address of inner IP packets.
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
            // The 18 bytes are an Ethernet header with an 802.1Q tag, which precedes the longest IP packet.
            PathLimits(
                mtu: search.expected, innerMTU: maximumPayload(in: search.expected) - encapsulation.overhead - 18)
        }

        /// The time of the next call to ``takeProbe(now:)``.
        var searchDeadline: Instant? { isEstablished ? search.deadline : nil }

        /// Queries the kernel's path MTU, and starts probing the path if it has changed.
        ///
        /// - Parameters:
        ///   - now: The current time.
        ///   - hasMoved: Whether the peer has a new address, so that the path has changed.
        /// - Returns: The path limits, if they must be reported.
        @discardableResult func updatePathMTU(now: Instant, hasMoved: Bool = false) -> PathLimits? {
            // The first endpoint may not have been known before.
            updateLimits()
            guard let mtu = endpoint?.pathMTU, mtu != kernelMTU || hasMoved else { return nil }
            kernelMTU = mtu
            // Other WireGuard implementations do not answer probes.
            search = PathSearch(limit: mtu, now: now, isPossible: encapsulation == .direct)
            return isEstablished && path != reportedPath ? reportPath() : nil
        }

        /// Returns the path limits currently known, and stores them as reported.
        func reportPath() -> PathLimits {
            let path = path
            reportedPath = path
            return path
        }

        /// Returns the probe that is due, if any: its message and payload length.
        func takeProbe(now: Instant) -> (message: PathMessage, payload: Int)? {
            guard isEstablished, let probe = search.advance(isUsed: hasSentLongPackets, now: now) else { return nil }
            hasSentLongPackets = false
            return (PathMessage(.probe, probe.identifier), maximumPayload(in: probe.length))
        }

        func takeAnswer(to identifier: UInt32, now: Instant) {
            search.takeAnswer(to: identifier, now: now)
        }

        /// Returns the path limits if probes have shown that they differ from the reported limits.
        func takeChangedPath() -> PathLimits? { search.takeChangedLength().map { _ in reportPath() } }
    }

    /// The maximum lengths of packets that are sent unfragmented.
    struct PathLimits: Hashable, Sendable {
        /// The maximum IP packet on the path, in bytes.
        let mtu: Int
        /// The maximum IP packet within the tunnel, in bytes.
        let innerMTU: Int
    }
#endif
