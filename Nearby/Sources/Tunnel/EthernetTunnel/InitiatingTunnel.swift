// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CertificateTrust
    import ErrorExplanations
    public import Identities
    import NIOCore
    import Synchronization
    import WireGuardProtocol

    /// A tunnel to a listener, which reconnects until its task is cancelled.
    public final class InitiatingTunnel: Sendable {
        private let host: String
        private let port: UInt16
        private let tls: ControlTLS
        private let options: TunnelOptions
        private let segment: OpenSegment
        private let tap: TAPInterface
        private let plane: PlaneHandle
        private let planePort: Int
        private let instance = KeyAgreement.randomBytes(16)
        /// The generations in use or in their grace period.
        private let generations = Mutex<Set<Generation.Identifier>>([])

        /// Creates the interfaces and opens the socket, which requires privileges; ``run(_:)`` requires none.
        ///
        /// - Parameters:
        ///   - host: The host name or address of the listener.
        ///   - port: The UDP and TCP port of the listener; ``TunnelOptions/defaultPort`` by default.
        ///   - identity: The client certificate to present, and its key.
        ///   - trust: The trust rules for the listener's certificate.
        ///   - segment: The local segment.
        ///   - options: The intervals and limits.
        /// - Throws: ``TunnelError``, the errors of reading the files of `trust`, and NIOSSL errors about the identity.
        public init(
            to host: String, port: UInt16 = TunnelOptions.defaultPort, identity: Identity, trust: TunnelTrust,
            segment: LocalSegment, options: TunnelOptions = TunnelOptions()
        ) throws {
            _ = try trust.read()
            (self.host, self.port, self.options) = (host, port, options)
            tls = try ControlTLS(identity, trust: trust)
            plane = try PlaneHandle(try DatagramSocket.udp(port: 0))
            self.segment = try OpenSegment(segment)
            do {
                tap = try self.segment.makeTAP()
            } catch {
                self.segment.close()
                throw error
            }
            planePort = plane.addPort(tap, ownAddresses: self.segment.ownAddresses(tap))
        }

        /// Runs the tunnel until the task is cancelled; then it notifies the listener and removes the interfaces.
        ///
        /// A failed connection is not an error: it is reported, and retried after a delay.
        ///
        /// - Parameter report: Called with each event, on several threads.
        /// - Throws: ``TunnelError`` if the tunnel cannot start.
        public func run(_ report: @escaping @Sendable (TunnelEvent) -> Void) async throws {
            defer { segment.close() }
            try plane.start(report: report)
            segment.warn(report)
            report(.started(interface: tap.link.name, bridge: segment.bridgeName, port: plane.socket.port))
            let counters = plane.reportCounters(every: options.counters)
            defer {
                counters?.cancel()
                plane.removePort(planePort)
                plane.stop()
            }
            await keepUp(report)
        }

        private func keepUp(_ report: @escaping @Sendable (TunnelEvent) -> Void) async {
            var backoff = Backoff()
            var random = SystemRandomNumberGenerator()
            while !Task.isCancelled {
                let started = ContinuousClock.now
                let failure: ErrorExplanation
                do {
                    let end = try await attempt(report)
                    if end == .rolled { continue }
                    if case .bye(let reason) = end { report(.left(peer: host, reason: reason)) }
                    failure = TunnelError.controlFailed(host, "the listener has closed it").explanation
                } catch {
                    failure = explanation(of: error)
                }
                guard !Task.isCancelled else { return }
                if ContinuousClock.now - started > .seconds(30) { backoff.reset() }
                let delay = backoff.take(using: &random)
                report(.retrying(peer: host, failure, after: delay))
                try? await Task.sleep(for: delay)
            }
        }

        private func explanation(of error: any Error) -> ErrorExplanation {
            (error as? any ExplainedError)?.explanation ?? TunnelError.controlFailed(host, "\(error)").explanation
        }

        /// Connects, agrees on keys, and runs the session.
        private func attempt(_ report: @escaping @Sendable (TunnelEvent) -> Void) async throws -> TunnelSession.End {
            let presented = ControlTLS.Presented()
            let channel = try await ControlConnection.connect(to: host, port: Int(port), tls, presented)
            let endpoint = channel.remoteAddress.flatMap { WireGuardEndpoint($0, port: port) }
            let agreement = KeyAgreement(instance: instance, payloadLimit: options.payloadLimit)
            let (planeEvents, continuation) = AsyncStream.makeStream(of: DataPlaneEvent.self)
            let generation = Mutex<Generation.Identifier?>(nil)
            let isRoll = generations.withLock { !$0.isEmpty }
            let session = TunnelSession(
                hello: agreement.offer,
                accept: { [self] offer in
                    let settings = GenerationSettings(
                        keys: try agreement.keys(with: offer, isInitiator: true), endpoint: endpoint,
                        encapsulation: .direct, payloadLimit: min(offer.payloadLimit, options.payloadLimit),
                        keepalive: options.keepalive)
                    let identifier = plane.add(settings, port: planePort) { continuation.yield($0) }
                    generation.withLock { $0 = identifier }
                    generations.withLock { _ = $0.insert(identifier) }
                    return nil
                },
                check: { [tls, host] in
                    guard let chain = presented.chain else { return }
                    try tls.trust.check(chain, as: .server(host), called: host)
                },
                recheck: options.recheck, roll: options.roll,
                sendEvent: { [self] event in sendEvent(event, isRoll: isRoll, report) })
            do {
                let end = try await session.follow(channel, planeEvents: planeEvents)
                switch end {
                case .rolled, .lost: retire(generation.withLock(\.self), after: TunnelSession.grace)
                case .bye: retire(generation.withLock(\.self), after: .zero)
                }
                return end
            } catch {
                if case .notTrusted = (error as? TunnelError) ?? (presented.failure as? TunnelError) {
                    // All keys agreed with an untrusted listener are removed.
                    for identifier in generations.withLock(\.self) { retire(identifier, after: .zero) }
                } else {
                    retire(generation.withLock(\.self), after: .zero)
                }
                throw presented.failure ?? error
            }
        }

        private func sendEvent(_ event: DataPlaneEvent, isRoll: Bool, _ report: @Sendable (TunnelEvent) -> Void) {
            switch event {
            case .established(_, let address, let path):
                segment.fit(tap.link, to: path.innerMTU)
                if isRoll { return report(.rolled(peer: host)) }
                report(
                    .joined(
                        peer: host, interface: tap.link.name, address: address, pathMTU: path.mtu,
                        innerMTU: path.innerMTU))
            case .moved(_, let address): report(.moved(peer: host, address: address))
            case .pathChanged(_, let path, let evidence):
                segment.fit(tap.link, to: path.innerMTU)
                report(.pathChanged(peer: host, pathMTU: path.mtu, innerMTU: path.innerMTU, by: evidence))
            default: return
            }
        }

        private func retire(_ identifier: Generation.Identifier?, after delay: Duration) {
            guard let identifier else { return }
            guard delay > .zero else {
                generations.withLock { _ = $0.remove(identifier) }
                return plane.remove(identifier)
            }
            Task {
                try? await Task.sleep(for: delay)
                retire(identifier, after: .zero)
            }
        }
    }
#endif
