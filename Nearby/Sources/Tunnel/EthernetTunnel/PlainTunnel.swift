// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import NIOCore
    import WireGuardProtocol

    /// An EtherIP tunnel (RFC 3378) without any protection: anyone on the path can read, change and inject frames.
    ///
    /// It is for peers that support nothing else, such as the BSDs' gif(4) and etherip(4), over a network that is
    /// already private.
    public final class PlainTunnel: Sendable {
        private let host: String
        private let peer: WireGuardEndpoint
        private let socket: DatagramSocket
        private let segment: OpenSegment
        private let tap: TAPInterface
        private let mailbox: Mailbox<DataPlaneCommand>
        private let options: TunnelOptions

        /// Creates the interfaces and opens the raw socket, which also requires the capability `CAP_NET_RAW`.
        ///
        /// - Parameters:
        ///   - host: The address or host name of the peer, which is resolved once.
        ///   - segment: The local segment.
        ///   - options: The options; only ``TunnelOptions/counters`` is used.
        /// - Throws: ``TunnelError``.
        public init(
            unencryptedTo host: String, segment: LocalSegment, options: TunnelOptions = TunnelOptions()
        ) throws(TunnelError) {
            guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: 0),
                let peer = WireGuardEndpoint(address, port: 0)
            else { throw .unknownHost(host) }
            (self.host, self.peer, self.options) = (host, peer, options)
            socket = try DatagramSocket(etherIPTo: peer)
            mailbox = try Mailbox()
            let open = try OpenSegment(segment)
            self.segment = open
            do throws(TunnelError) {
                tap = try open.makeTAP()
            } catch {
                open.close()
                throw error
            }
        }

        /// Carries frames until the task is cancelled; then it removes the interfaces.
        ///
        /// - Parameter report: Called with each event, on several threads.
        /// - Throws: ``TunnelError`` if the tunnel cannot start.
        public func run(_ report: @escaping @Sendable (TunnelEvent) -> Void) async throws {
            defer { segment.close() }
            let name = tap.link.name
            try PlainPlane.start(socket, to: peer, tap, ownAddresses: segment.ownAddresses(tap), mailbox) { event in
                switch event {
                case .looped(_, let address):
                    report(.loopSuspected(interface: name, hostAddress: TunnelEvent.text(of: address)))
                case .counters(let counters, let refused):
                    report(.counters([name: counters.values.first ?? TunnelCounters()], refusedDatagrams: refused))
                default: return
                }
            }
            defer { mailbox.send(.stop) }
            let innerMTU = PlainPlane.frameLimit(to: peer) - 18
            segment.fit(tap.link, to: innerMTU)
            segment.warn(report)
            report(.started(interface: name, bridge: segment.bridgeName, port: 0))
            report(
                .joined(
                    peer: host, interface: name, address: host, pathMTU: peer.pathMTU ?? 0, innerMTU: innerMTU))
            while (try? await Task.sleep(for: options.counters ?? .seconds(3_600))) != nil {
                if options.counters != nil { mailbox.send(.reportCounters) }
            }
        }
    }
#endif
