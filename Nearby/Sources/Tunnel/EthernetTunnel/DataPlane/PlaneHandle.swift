// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Synchronization

    /// A thread-safe handle of the data plane, which sends it commands and passes its events to the corresponding
    /// session.
    final class PlaneHandle: Sendable {
        private struct State {
            var nextGeneration: Generation.Identifier = 1
            var nextPort = 1
            var sessions: [Generation.Identifier: @Sendable (DataPlaneEvent) -> Void] = [:]
            var interfaces: [Int: String] = [:]
        }

        let socket: DatagramSocket
        private let mailbox: Mailbox<DataPlaneCommand>
        private let state = Mutex(State())

        init(_ socket: DatagramSocket) throws(TunnelError) {
            self.socket = socket
            mailbox = try Mailbox()
        }

        /// Starts the thread of the data plane.
        func start(report: @escaping @Sendable (TunnelEvent) -> Void) throws(TunnelError) {
            try WireGuardPlane.start(socket, mailbox) { [self] event in handle(event, report) }
        }

        func stop() { mailbox.send(.stop) }

        /// Reports the counters periodically.
        ///
        /// - Returns: The reporting task, which the caller must cancel; `nil` if no interval is set.
        func reportCounters(every interval: Duration?) -> Task<Void, Never>? {
            guard let interval else { return nil }
            return Task { [mailbox] in
                while (try? await Task.sleep(for: interval)) != nil { mailbox.send(.reportCounters) }
            }
        }

        func addPort(_ tap: TAPInterface, ownAddresses: Set<UInt64>) -> Int {
            let port = state.withLock { state in
                state.interfaces[state.nextPort] = tap.link.name
                state.nextPort += 1
                return state.nextPort - 1
            }
            mailbox.send(.addPort(port, tap, ownAddresses: ownAddresses))
            return port
        }

        func removePort(_ port: Int) {
            state.withLock { $0.interfaces[port] = nil }
            mailbox.send(.removePort(port))
        }

        /// Adds a key generation.
        ///
        /// - Parameters:
        ///   - settings: The keys and the peer's endpoint.
        ///   - port: The port whose frames the keys protect.
        ///   - sendEvent: Called on the data plane's thread with the events of the generation.
        /// - Returns: The identifier of the generation.
        func add(
            _ settings: GenerationSettings, port: Int, sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) -> Generation.Identifier {
            let identifier = state.withLock { state in
                defer { state.nextGeneration += 1 }
                state.sessions[state.nextGeneration] = sendEvent
                return state.nextGeneration
            }
            mailbox.send(.addGeneration(identifier, settings, port: port))
            return identifier
        }

        func remove(_ identifier: Generation.Identifier) {
            state.withLock { $0.sessions[identifier] = nil }
            mailbox.send(.removeGeneration(identifier))
        }

        private func handle(_ event: DataPlaneEvent, _ report: @Sendable (TunnelEvent) -> Void) {
            switch event {
            case .established(let identifier, _, _), .moved(let identifier, _), .pathChanged(let identifier, _, _),
                .unanswered(let identifier), .refused(let identifier):
                state.withLock { $0.sessions[identifier] }?(event)
            case .looped(let port, let address):
                let interface = state.withLock { $0.interfaces[port] } ?? ""
                report(.loopSuspected(interface: interface, hostAddress: TunnelEvent.text(of: address)))
            case .counters(let counters, let refused):
                let names = state.withLock { $0.interfaces }
                let named = counters.compactMap { port, counters in names[port].map { ($0, counters) } }
                report(.counters(Dictionary(named) { one, _ in one }, refusedDatagrams: refused))
            case .stopped: return
            }
        }
    }
#endif
