// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import NIOCore
    import WireGuardProtocol

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A tunnel with static keys to another WireGuard implementation: EtherIP in IP packets over WireGuard, as in
    /// OpenBSD's etherip(4) over wg(4).
    ///
    /// There are no certificates, and keys are neither replaced nor revoked. The holder of the peer's private key is
    /// the peer.
    public final class StaticKeyTunnel: Sendable {
        /// The keys and addresses that both sides configured in advance.
        public struct Settings: Sendable {
            fileprivate let keys: GenerationKeys
            fileprivate let addresses: InnerAddresses

            /// Parses keys and addresses.
            ///
            /// - Parameters:
            ///   - privateKey: This side's private key in base64, as printed by `wg genkey`.
            ///   - peerKey: The peer's public key in base64.
            ///   - presharedKey: An additional shared secret of 32 bytes, in base64; `nil` by default.
            ///   - innerLocal: This side's IPv4 or IPv6 address within WireGuard.
            ///   - innerRemote: The peer's address within WireGuard, of the same IP version.
            /// - Throws: ``TunnelError/malformedKey(_:)`` for an invalid key, ``TunnelError/unknownHost(_:)`` for an
            ///   invalid address.
            public init(
                privateKey: String, peerKey: String, presharedKey: String? = nil, innerLocal: String,
                innerRemote: String
            ) throws(TunnelError) {
                guard let bytes = Data(base64Encoded: privateKey),
                    let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
                else { throw .malformedKey("private key") }
                guard let peerKey = WireGuardPublicKey(base64: peerKey) else {
                    throw .malformedKey("peer's public key")
                }
                var shared: SymmetricKey?
                if let presharedKey {
                    guard let bytes = Data(base64Encoded: presharedKey), bytes.count == 32 else {
                        throw .malformedKey("preshared key")
                    }
                    shared = SymmetricKey(data: bytes)
                }
                keys = GenerationKeys(privateKey: key, peerKey: peerKey, presharedKey: shared)
                guard let local = Self.address(innerLocal) else { throw .unknownHost(innerLocal) }
                guard let remote = Self.address(innerRemote),
                    let addresses = InnerAddresses(local: local, remote: remote)
                else { throw .unknownHost(innerRemote) }
                self.addresses = addresses
            }

            private static func address(_ text: String) -> [UInt8]? {
                (try? SocketAddress(ipAddress: text, port: 0)).flatMap { WireGuardEndpoint($0, port: 0)?.address }
            }
        }

        private let label: String
        private let endpoint: WireGuardEndpoint?
        private let settings: Settings
        private let options: TunnelOptions
        private let segment: OpenSegment
        private let tap: TAPInterface
        private let plane: PlaneHandle
        private let planePort: Int

        /// Creates the interfaces and opens the socket.
        ///
        /// - Parameters:
        ///   - host: The host name or address of the peer, resolved once; `nil` if the peer starts the handshake.
        ///   - port: The UDP port of the peer.
        ///   - localPort: The local UDP port; with 0, the system chooses one.
        ///   - settings: The keys and inner addresses.
        ///   - segment: The local segment.
        ///   - options: The options; keepalive, payload limit and the counter interval are used.
        /// - Throws: ``TunnelError``.
        public init(
            to host: String?, port: UInt16, localPort: UInt16, settings: Settings, segment: LocalSegment,
            options: TunnelOptions = TunnelOptions()
        ) throws(TunnelError) {
            var endpoint: WireGuardEndpoint?
            if let host {
                guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: Int(port)),
                    let found = WireGuardEndpoint(address, port: port)
                else { throw .unknownHost(host) }
                endpoint = found
            }
            (label, self.endpoint) = (settings.keys.peerKey.description, endpoint)
            (self.settings, self.options) = (settings, options)
            plane = try PlaneHandle(try DatagramSocket.udp(port: localPort))
            let open = try OpenSegment(segment)
            self.segment = open
            do throws(TunnelError) {
                tap = try open.makeTAP()
            } catch {
                open.close()
                throw error
            }
            planePort = plane.addPort(tap, ownAddresses: open.ownAddresses(tap))
        }

        /// Carries frames until the task is cancelled; then it removes the interfaces.
        ///
        /// - Parameter report: Called with each event, on several threads.
        /// - Throws: ``TunnelError`` if the tunnel cannot start; ``TunnelError/malformedKey(_:)`` if the peer's key is
        ///   invalid.
        public func run(_ report: @escaping @Sendable (TunnelEvent) -> Void) async throws {
            defer { segment.close() }
            try plane.start(report: report)
            segment.warn(report)
            report(.started(interface: tap.link.name, bridge: segment.bridgeName, port: plane.socket.port))
            let counters = plane.reportCounters(every: options.counters)
            defer {
                counters?.cancel()
                plane.stop()
            }
            let (events, continuation) = AsyncStream.makeStream(of: DataPlaneEvent.self)
            let generation = GenerationSettings(
                keys: settings.keys, endpoint: endpoint, encapsulation: .ip(settings.addresses),
                payloadLimit: options.payloadLimit, keepalive: endpoint == nil ? nil : options.keepalive)
            _ = plane.add(generation, port: planePort) { continuation.yield($0) }
            for await event in events {
                switch event {
                case .established(_, let address, let path):
                    segment.fit(tap.link, to: path.innerMTU)
                    report(
                        .joined(
                            peer: label, interface: tap.link.name, address: address, pathMTU: path.mtu,
                            innerMTU: path.innerMTU))
                case .moved(_, let address): report(.moved(peer: label, address: address))
                case .pathChanged(_, let path, let evidence):
                    segment.fit(tap.link, to: path.innerMTU)
                    report(.pathChanged(peer: label, pathMTU: path.mtu, innerMTU: path.innerMTU, by: evidence))
                case .unanswered: report(.left(peer: label, reason: "it does not answer"))
                case .refused: throw TunnelError.malformedKey("peer's public key")
                default: break
                }
            }
        }
    }
#endif
