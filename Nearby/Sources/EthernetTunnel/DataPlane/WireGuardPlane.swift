// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Glibc
    import WireGuardProtocol

    /// Carries frames between TAP interfaces and peers, in one thread that owns everything in it.
    final class WireGuardPlane {
        private static let mailboxTag = -1
        private static let socketTag = -2

        let socket: DatagramSocket
        let tell: @Sendable (DataPlaneEvent) -> Void
        private let mailbox: Mailbox<DataPlaneCommand>
        private let poller: Poller
        var received = ReceivedBatch()
        var sending: SendingBatch
        var ports: [Int: TunnelPort] = [:]
        /// The ports that have got frames from the socket since it was read.
        var reached: [TunnelPort] = []
        /// Oldest first.
        var generations: [Generation] = []
        /// Whose datagrams came from where, so that most are found at once.
        var generationAt: [WireGuardEndpoint: Generation] = [:]
        /// Whose datagram came last, which is most often the next one's too.
        var lastSender: (endpoint: WireGuardEndpoint, generation: Generation)?
        var now = Instant.now
        var nextPathCheck = Instant.now
        var unknownDatagrams = 0
        private var isStopped = false

        private init(
            _ socket: DatagramSocket, _ mailbox: Mailbox<DataPlaneCommand>,
            _ tell: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            (self.socket, self.mailbox, self.tell) = (socket, mailbox, tell)
            sending = SendingBatch(socket)
            poller = try Poller()
            try poller.add(mailbox.descriptor, tag: Self.mailboxTag)
            try poller.add(socket.descriptor, tag: Self.socketTag)
        }

        /// Starts the thread, which ends when it is told to stop.
        ///
        /// - Parameters:
        ///   - socket: Where datagrams are sent and received.
        ///   - mailbox: From where commands come.
        ///   - tell: Called in the thread.
        /// - Throws: ``TunnelError`` where the system makes no thread.
        static func start(
            _ socket: DatagramSocket, _ mailbox: Mailbox<DataPlaneCommand>,
            tell: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            try DataPlaneThread.start {
                if let plane = try? WireGuardPlane(socket, mailbox, tell) { plane.run() }
                tell(.stopped)
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
                    default: if let port = ports[event.tag] { send(from: port) }
                    }
                }
                // Before the timers, which can wait.
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
                poller.remove(port.tap.descriptor)
                for generation in generations where generation.port === port { remove(generation.identifier) }
            case .addGeneration(let identifier, let settings, let tag):
                guard let port = ports[tag] else { return }
                add(identifier, settings, port)
            case .removeGeneration(let identifier): remove(identifier)
            case .reportCounters:
                tell(.counters(ports.mapValues(\.counters), refused: unknownDatagrams))
            case .stop: isStopped = true
            }
        }

        private func add(_ identifier: Generation.Identifier, _ settings: GenerationSettings, _ port: TunnelPort) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let unixTime = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            do throws(WireGuardPeerError) {
                generations.append(
                    try Generation(identifier, settings, port: port, now: now, unixTime: unixTime))
            } catch {
                tell(.refused(identifier))
            }
        }

        private func remove(_ identifier: Generation.Identifier) {
            generations.removeAll { $0.identifier == identifier }
            generationAt = generationAt.filter { $0.value.identifier != identifier }
            if lastSender?.generation.identifier == identifier { lastSender = nil }
        }
    }
#endif
