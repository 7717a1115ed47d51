// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Glibc
    import WireGuardProtocol

    /// Carries frames between TAP interfaces and peers, in one thread that owns all of its state.
    final class WireGuardPlane {
        private static let mailboxTag = -1
        private static let socketTag = -2

        let socket: DatagramSocket
        let sendEvent: @Sendable (DataPlaneEvent) -> Void
        private let mailbox: Mailbox<DataPlaneCommand>
        private let poller: Poller
        // After an idle time, the processor's caches are cold, so the latency of a single packet depends on how much
        // code and data it touches. Exclusivity checks would add significantly to it, and are unnecessary because only
        // one thread uses this object.
        @exclusivity(unchecked) var received = ReceivedBatch()
        @exclusivity(unchecked) var sending: SendingBatch
        var ports: [Int: TunnelPort] = [:]
        /// The ports that received frames in the current read of the socket.
        @exclusivity(unchecked) var reached: [TunnelPort] = []
        /// The generations, oldest first.
        @exclusivity(unchecked) var generations: [Generation] = []
        /// The generation of each sender, for a fast lookup of most datagrams.
        var generationAt: [WireGuardEndpoint: Generation] = [:]
        /// The sender of the last datagram, which usually also sends the next one.
        @exclusivity(unchecked) var lastSender: (endpoint: WireGuardEndpoint, generation: Generation)?
        /// The port that was read last, with the generation for its frames; `nil` after either changes.
        @exclusivity(unchecked) var lastSource: (port: TunnelPort, generation: Generation)?
        @exclusivity(unchecked) var now = Instant.now
        @exclusivity(unchecked) var lastReceived = Instant.now
        @exclusivity(unchecked) var nextPathCheck = Instant.now
        var unknownDatagrams = 0
        @exclusivity(unchecked) private var isStopped = false

        private init(
            _ socket: DatagramSocket, _ mailbox: Mailbox<DataPlaneCommand>,
            _ sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            (self.socket, self.mailbox, self.sendEvent) = (socket, mailbox, sendEvent)
            sending = SendingBatch(socket)
            poller = try Poller()
            try poller.add(mailbox.descriptor, tag: Self.mailboxTag)
            try poller.add(socket.descriptor, tag: Self.socketTag)
        }

        /// Starts the thread, which runs until a stop command.
        ///
        /// - Parameters:
        ///   - socket: The socket for datagrams.
        ///   - mailbox: The source of commands.
        ///   - sendEvent: Called on the thread with each event.
        /// - Throws: ``TunnelError`` if the system cannot create a thread.
        static func start(
            _ socket: DatagramSocket, _ mailbox: Mailbox<DataPlaneCommand>,
            sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            try DataPlaneThread.start {
                if let plane = try? WireGuardPlane(socket, mailbox, sendEvent) { plane.run() }
                sendEvent(.stopped)
            }
        }

        private func run() {
            var ready = 0
            while !isStopped {
                now = .now
                for index in 0..<ready {
                    let event = poller.event(index)
                    switch event.tag {
                    case Self.mailboxTag: for command in mailbox.take() { perform(command) }
                    case Self.socketTag: receive(hasError: event.hasError)
                    default: if let port = port(tagged: event.tag) { send(from: port, .ready) }
                    }
                }
                // Datagrams are sent before the timers run, which are less urgent.
                sending.flush()
                settle()
                var due = deadline
                if due <= now {
                    runTimers()
                    settle()
                    due = deadline
                }
                ready = poller.wait(until: due, now: now)
            }
        }

        private func port(tagged tag: Int) -> TunnelPort? {
            if let lastSource, lastSource.port.tag == tag { return lastSource.port }
            return ports[tag]
        }

        private var deadline: Instant {
            var earliest = nextPathCheck
            for generation in generations {
                if let next = generation.device.nextDeadline, next < earliest { earliest = next }
                if let next = generation.searchDeadline, next < earliest { earliest = next }
            }
            return earliest
        }
    }

    // MARK: - Commands

    extension WireGuardPlane {
        private func perform(_ command: DataPlaneCommand) {
            switch command {
            case .addPort(let tag, let tap, let ownAddresses):
                ports[tag] = TunnelPort(tag, tap, ownAddresses: ownAddresses)
                try? poller.add(tap.descriptor, tag: tag)
            case .removePort(let tag):
                guard let port = ports.removeValue(forKey: tag) else { return }
                lastSource = nil
                poller.remove(port.tap.descriptor)
                for generation in generations where generation.port === port { remove(generation.identifier) }
            case .addGeneration(let identifier, let settings, let tag):
                guard let port = ports[tag] else { return }
                add(identifier, settings, port)
            case .removeGeneration(let identifier): remove(identifier)
            case .reportCounters:
                sendEvent(.counters(ports.mapValues(\.counters), refused: unknownDatagrams))
            case .stop: isStopped = true
            }
        }

        private func add(_ identifier: Generation.Identifier, _ settings: GenerationSettings, _ port: TunnelPort) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let unixTime = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            lastSource = nil
            do throws(WireGuardPeerError) {
                generations.append(
                    try Generation(identifier, settings, port: port, now: now, unixTime: unixTime))
            } catch {
                sendEvent(.refused(identifier))
            }
        }

        private func remove(_ identifier: Generation.Identifier) {
            generations.removeAll { $0.identifier == identifier }
            generationAt = generationAt.filter { $0.value.identifier != identifier }
            if lastSender?.generation.identifier == identifier { lastSender = nil }
            lastSource = nil
        }
    }
#endif
