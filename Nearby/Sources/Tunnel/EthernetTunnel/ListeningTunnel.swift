// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CertificateTrust
    import ErrorExplanations
    public import Identities
    import Synchronization
    import WireGuardProtocol
    import X509

    /// The side of a tunnel to which several peers can connect.
    ///
    /// Each peer has a separate TAP interface, so that the kernel bridge learns the peer of each host and sends frames
    /// for a known host only to the interface of its peer.
    public final class ListeningTunnel: Sendable {
        private let host: String?
        private let tls: ControlTLS
        private let options: TunnelOptions
        private let segment: OpenSegment
        private let plane: PlaneHandle
        private let peers: ListenerPeers
        /// The number of connections, including unauthenticated ones.
        private let connections = Mutex(0)
        /// The maximum number of connections in addition to two for each peer, one of which the peer is about to close.
        private static let maximumUnauthenticatedCount = 64

        /// Creates the bridge and opens the socket.
        ///
        /// - Parameters:
        ///   - host: The local address for TCP; `nil`, the default, for all addresses.
        ///   - port: The UDP and TCP port; ``TunnelOptions/defaultPort`` by default.
        ///   - identity: The server certificate to present, and its key.
        ///   - trust: The trust rules for the peers' certificates.
        ///   - segment: The local segment, with a bridge if there may be several peers.
        ///   - options: The intervals and limits.
        /// - Throws: ``TunnelError``, the errors of reading the files of `trust`, and NIOSSL errors about the identity.
        public init(
            at host: String? = nil, port: UInt16 = TunnelOptions.defaultPort, identity: Identity, trust: TunnelTrust,
            segment: LocalSegment, options: TunnelOptions = TunnelOptions()
        ) throws {
            _ = try trust.read()
            (self.host, self.options) = (host, options)
            tls = try ControlTLS(identity, trust: trust)
            plane = try PlaneHandle(try DatagramSocket.udp(port: port))
            self.segment = try OpenSegment(segment)
            peers = ListenerPeers(self.segment, plane, limit: options.maximumPeerCount)
        }

        /// Accepts peers until the task is cancelled; then it notifies them and removes the interfaces.
        ///
        /// A rejected peer is not an error: it is reported.
        ///
        /// - Parameter report: Called with each event, on several threads.
        /// - Throws: ``TunnelError`` if the tunnel cannot start, and a SwiftNIO error if it cannot listen on the
        ///   address.
        public func run(_ report: @escaping @Sendable (TunnelEvent) -> Void) async throws {
            defer { segment.close() }
            try plane.start(report: report)
            defer { plane.stop() }
            let listener = try await ControlConnection.listen(at: host, port: Int(plane.socket.port), tls)
            segment.warn(report)
            report(.started(interface: nil, bridge: segment.bridgeName, port: plane.socket.port))
            let counters = plane.reportCounters(every: options.counters)
            await withDiscardingTaskGroup { group in
                for await (channel, presented) in listener.connections {
                    group.addTask { await self.serve(channel, presented, report) }
                }
                group.cancelAll()
            }
            await listener.close()
            counters?.cancel()
            peers.removeAll()
        }

        /// The state that a connection has reached.
        private final class Admission: Sendable {
            let lease = Mutex<ListenerPeers.Lease?>(nil)
        }

        private func serve(
            _ channel: ControlChannel, _ presented: ControlTLS.Presented,
            _ report: @escaping @Sendable (TunnelEvent) -> Void
        ) async {
            let limit = 2 * options.maximumPeerCount + Self.maximumUnauthenticatedCount
            let count = connections.withLock { count in
                count += 1
                return count
            }
            defer { connections.withLock { $0 -= 1 } }
            guard count <= limit else {
                return await channel.close()
            }
            let address = channel.remoteAddress?.peerText ?? "?"
            let admission = Admission()
            do {
                let end = try await follow(channel, presented, admission, report)
                guard let lease = admission.lease.withLock(\.self) else { return }
                if case .bye(let reason) = end {
                    if peers.end(lease) { report(.left(peer: lease.label, reason: reason)) }
                } else {
                    try await retainDuringGracePeriod(lease, presented)
                    if peers.end(lease) { report(.left(peer: lease.label, reason: "it does not answer")) }
                }
            } catch {
                let lease = admission.lease.withLock(\.self)
                let cause = presented.failure ?? error
                if let lease {
                    if case .notTrusted = cause as? TunnelError { peers.removePeer(lease) } else { peers.end(lease) }
                }
                guard !Task.isCancelled else { return }
                let explanation =
                    (cause as? any ExplainedError)?.explanation
                    ?? TunnelError.controlFailed(address, "\(cause)").explanation
                report(.refused(peer: lease?.label ?? address, explanation))
            }
        }

        private func follow(
            _ channel: ControlChannel, _ presented: ControlTLS.Presented, _ admission: Admission,
            _ report: @escaping @Sendable (TunnelEvent) -> Void
        ) async throws -> TunnelSession.End {
            let (planeEvents, continuation) = AsyncStream.makeStream(of: DataPlaneEvent.self)
            let session = TunnelSession(
                hello: nil,
                accept: { [peers, options] offer in
                    guard let chain = presented.chain else { throw TunnelError.noKeysAgreed }
                    let agreement = KeyAgreement(instance: offer.instance, payloadLimit: options.payloadLimit)
                    let settings = GenerationSettings(
                        keys: try agreement.keys(with: offer, isInitiator: false), endpoint: nil,
                        encapsulation: .direct, payloadLimit: min(offer.payloadLimit, options.payloadLimit),
                        keepalive: nil)
                    let lease = try peers.admit(
                        .init(subject: "\(chain.leaf.subject)", instance: offer.instance), settings
                    ) { continuation.yield($0) }
                    admission.lease.withLock { $0 = lease }
                    return agreement.offer
                },
                check: { [self] in try check(presented, admission.lease.withLock(\.self)?.label ?? "The peer") },
                recheck: options.recheck, roll: nil,
                sendEvent: { [self] event in
                    if let lease = admission.lease.withLock(\.self) { sendEvent(event, lease, report) }
                })
            return try await session.follow(channel, planeEvents: planeEvents)
        }

        private func sendEvent(
            _ event: DataPlaneEvent, _ lease: ListenerPeers.Lease, _ report: @Sendable (TunnelEvent) -> Void
        ) {
            switch event {
            case .established(_, let address, let path):
                fit(lease, to: path.innerMTU)
                if lease.isRoll { return report(.rolled(peer: lease.label)) }
                report(
                    .joined(
                        peer: lease.label, interface: lease.interface, address: address, pathMTU: path.mtu,
                        innerMTU: path.innerMTU))
            case .moved(_, let address): report(.moved(peer: lease.label, address: address))
            case .pathChanged(_, let path, let evidence):
                fit(lease, to: path.innerMTU)
                report(.pathChanged(peer: lease.label, pathMTU: path.mtu, innerMTU: path.innerMTU, by: evidence))
            default: return
            }
        }

        private func fit(_ lease: ListenerPeers.Lease, to innerMTU: Int) {
            if let link = try? NetworkLink(lease.interface) { segment.fit(link, to: innerMTU) }
        }

        /// Retains the keys of a peer for a grace period after its connection was lost, because its address may only
        /// have changed.
        private func retainDuringGracePeriod(_ lease: ListenerPeers.Lease, _ presented: ControlTLS.Presented)
            async throws
        {
            let end = ContinuousClock.now + TunnelSession.grace
            while ContinuousClock.now < end {
                try await Task.sleep(for: min(options.recheck, TunnelSession.grace))
                try check(presented, lease.label)
            }
        }

        private func check(_ presented: ControlTLS.Presented, _ label: String) throws {
            guard let chain = presented.chain else { return }
            try tls.trust.check(chain, as: .client, called: label)
        }
    }
#endif
