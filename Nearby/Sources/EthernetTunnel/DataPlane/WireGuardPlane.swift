// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// Carries frames between TAP interfaces and peers, in one thread that owns everything in it.
    final class WireGuardPlane {
        private static let mailboxTag = -1
        private static let socketTag = -2
        private static let pathInterval = Duration.seconds(15)

        private let socket: DatagramSocket
        private let mailbox: Mailbox<DataPlaneCommand>
        private let tell: @Sendable (DataPlaneEvent) -> Void
        private let poller: Poller
        private var received = ReceivedBatch()
        private var sending: SendingBatch
        private var ports: [Int: TunnelPort] = [:]
        /// Oldest first.
        private var generations: [Generation] = []
        /// Whose datagrams came from where, so that most are found at once.
        private var generationAt: [WireGuardEndpoint: Generation] = [:]
        private var now = ContinuousClock.now
        private var nextPathCheck = ContinuousClock.now
        private var unknownDatagrams = 0
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
            while !isStopped {
                let ready = poller.wait(until: deadline)
                now = .now
                for tag in ready {
                    switch tag {
                    case Self.mailboxTag: for command in mailbox.take() { perform(command) }
                    case Self.socketTag: receive()
                    default: if let port = ports[tag] { send(from: port, tag) }
                    }
                }
                runTimers()
                settle()
            }
        }

        private var deadline: ContinuousClock.Instant {
            generations.reduce(nextPathCheck) { min($0, $1.device.nextDeadline ?? $0) }
        }
    }

    // MARK: - Commands

    extension WireGuardPlane {
        private func perform(_ command: DataPlaneCommand) {
            switch command {
            case .addPort(let tag, let tap, let ownAddresses):
                ports[tag] = TunnelPort(tap, ownAddresses: ownAddresses)
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
        }
    }

    // MARK: - From the interfaces to the peers

    extension WireGuardPlane {
        /// The newest generation that can send; while there is none, the newest one, which keeps some payloads until it can.
        private func sendingGeneration(of port: TunnelPort) -> Generation? {
            generations.last { $0.port === port && $0.isEstablished } ?? generations.last { $0.port === port }
        }

        private func send(from port: TunnelPort, _ tag: Int) {
            guard let generation = sendingGeneration(of: port) else {
                return port.read(limit: .max, now: now) { _ in port.counters.droppedFrames += 1 }
            }
            port.read(limit: generation.frameLimit, now: now) { outgoing in
                switch outgoing {
                case .frame(let frame):
                    seal(generation, 1, length: { _ in frame.count }, write: { $1.copyMemory(from: frame) })
                case .segments(let cutter):
                    seal(
                        generation, cutter.count, length: { cutter.length(of: $0) }, write: { cutter.write($0, to: $1) }
                    )
                case .oversized(let frame): sendFragments(of: frame, generation)
                }
            }
            if let address = port.takeLoopedAddress() { tell(.looped(port: tag, address: address)) }
        }

        /// Encrypts frames where they are written.
        private func seal(
            _ generation: Generation, _ count: Int, length: (Int) -> Int,
            write: (Int, UnsafeMutableRawBufferPointer) -> Void
        ) {
            let encapsulation = generation.encapsulation
            let start = WireGuardReservation.headroom + encapsulation.overhead
            var index = 0
            while index < count {
                guard var reservation = generation.device.reserve(count - index, to: generation.key, now: now),
                    reservation.remaining > 0
                else { return enqueue(generation, index..<count, length: length, write: write) }
                let endpoint = reservation.endpoint
                for _ in 0..<reservation.remaining {
                    let frame = length(index)
                    let buffer = sending.next(start + frame + WireGuardReservation.tailroom)
                    encapsulation.writeHeader(
                        to: buffer.part(WireGuardReservation.headroom..<start), frame: frame)
                    write(index, buffer.part(start..<start + frame))
                    let payload = encapsulation.overhead + frame
                    // A frame does not say where it ends, so that nothing may be behind it unless an IP header says so.
                    let limit = encapsulation == .direct ? payload : generation.greatestPayload
                    sending.commit(reservation.seal(buffer, payload: payload, limit: limit), to: endpoint)
                    index += 1
                }
            }
        }

        /// Leaves frames to the device until there is a session.
        private func enqueue(
            _ generation: Generation, _ indices: Range<Int>, length: (Int) -> Int,
            write: (Int, UnsafeMutableRawBufferPointer) -> Void
        ) {
            let overhead = generation.encapsulation.overhead
            for index in indices {
                withUnsafeTemporaryAllocation(byteCount: overhead + length(index), alignment: 8) { buffer in
                    generation.encapsulation.writeHeader(to: buffer.part(0..<overhead), frame: length(index))
                    write(index, buffer.part(overhead..<buffer.count))
                    generation.device.enqueue(UnsafeRawBufferPointer(buffer), to: generation.key, now: now)
                }
            }
        }

        /// Sends payloads that the device pads to a multiple of 16 bytes, so that their limit is one.
        private func sendFragments(of frame: UnsafeRawBufferPointer, _ generation: Generation) {
            let fragments = generation.encapsulation.fragments(
                of: frame, limit: generation.greatestPayload & ~15,
                identification: generation.port.takeIdentification())
            for fragment in fragments {
                let buffer = sending.next(
                    WireGuardReservation.headroom + fragment.count + WireGuardReservation.tailroom)
                buffer.part(WireGuardReservation.headroom..<WireGuardReservation.headroom + fragment.count)
                    .copyBytes(from: fragment)
                let result = generation.device.send(buffer, payload: fragment.count, to: generation.key, now: now)
                if case .datagram(let length, let endpoint) = result { sending.commit(length, to: endpoint) }
            }
        }
    }

    // MARK: - From the peers to the interfaces

    extension WireGuardPlane {
        private func receive() {
            var touched: Set<Int> = []
            // A busy socket must not keep the other work waiting.
            for _ in 0..<4 {
                let hasMore = received.receive(from: socket) { bytes, length, sender in
                    guard let endpoint = WireGuardEndpoint(sender) else { return }
                    var start = 0
                    while start < bytes.count {
                        let end = min(start + length, bytes.count)
                        receive(bytes.part(start..<end), from: endpoint)
                        start = end
                    }
                }
                for (tag, port) in ports {
                    port.flush()
                    if port.counters.receivedFrames > 0 { touched.insert(tag) }
                }
                guard hasMore else { break }
            }
            if tunnel_discard_errors(socket.descriptor) > 0 { nextPathCheck = now }
            for tag in touched {
                if let address = ports[tag]?.takeLoopedAddress() { tell(.looped(port: tag, address: address)) }
            }
        }

        private func receive(_ datagram: UnsafeMutableRawBufferPointer, from endpoint: WireGuardEndpoint) {
            if let known = generationAt[endpoint], open(datagram, from: endpoint, known) { return }
            for generation in generations.reversed() where open(datagram, from: endpoint, generation) {
                if generationAt.count > 4_096 { generationAt = [:] }
                generationAt[endpoint] = generation
                return
            }
            unknownDatagrams += 1
        }

        /// - Returns: Whether the datagram belongs to the generation.
        private func open(
            _ datagram: UnsafeMutableRawBufferPointer, from endpoint: WireGuardEndpoint, _ generation: Generation
        ) -> Bool {
            if let session = generation.device.session(receiving: UnsafeRawBufferPointer(datagram)) {
                guard let packet = session.open(datagram) else {
                    generation.port.counters.refusedDatagrams += 1
                    return true
                }
                take(generation.device.accept(packet, from: endpoint, now: now), datagram, generation)
                return true
            }
            let receipt = generation.device.receive(datagram, from: endpoint, now: now)
            switch receipt {
            case .refused(.wrongMAC), .refused(.unknownIndex), .refused(.notAuthentic), .refused(.malformed):
                return false
            default:
                take(receipt, datagram, generation)
                return true
            }
        }

        private func take(
            _ receipt: WireGuardReceipt, _ datagram: UnsafeMutableRawBufferPointer, _ generation: Generation
        ) {
            switch receipt {
            case .payload(let range, _):
                generation.port.receive(
                    datagram.part(range), from: generation.innerSource, limit: generation.frameLimit, now: now)
            case .keepalive, .handshake: return
            case .refused: generation.port.counters.refusedDatagrams += 1
            }
        }
    }

    // MARK: - Timers

    extension WireGuardPlane {
        private func runTimers() {
            for generation in generations where generation.device.nextDeadline.map({ $0 <= now }) ?? false {
                generation.device.timersFired(now: now)
            }
            guard nextPathCheck <= now || sending.tooLong > 0 else { return }
            _ = sending.takeTooLong()
            nextPathCheck = now + Self.pathInterval
            for generation in generations where generation.updatePathMTU() {
                tell(
                    .pathChanged(
                        generation.identifier, pathMTU: generation.pathMTU, innerMTU: generation.innerMTU))
            }
        }

        /// Sends what is to be sent, and tells what has happened.
        private func settle() {
            for generation in generations {
                for datagram in generation.device.takeOutgoing() {
                    let buffer = sending.next(datagram.bytes.count)
                    buffer.copyBytes(from: datagram.bytes)
                    sending.commit(datagram.bytes.count, to: datagram.endpoint)
                }
                for event in generation.device.takeEvents() { tell(event, of: generation) }
            }
            sending.flush()
        }

        private func tell(_ event: WireGuardEvent, of generation: Generation) {
            switch event {
            case .established:
                let isFirst = !generation.isEstablished
                generation.isEstablished = true
                generation.updatePathMTU()
                guard isFirst else { return }
                tell(
                    .established(
                        generation.identifier, at: generation.endpoint?.text ?? "", pathMTU: generation.pathMTU,
                        innerMTU: generation.innerMTU))
            case .moved(_, let endpoint):
                if generation.updatePathMTU(), generation.isEstablished {
                    tell(
                        .pathChanged(
                            generation.identifier, pathMTU: generation.pathMTU, innerMTU: generation.innerMTU))
                }
                if generation.isEstablished { tell(.moved(generation.identifier, to: endpoint.text)) }
            case .unanswered: tell(.unanswered(generation.identifier))
            // The next frame begins a handshake.
            case .expired: return
            }
        }
    }
#endif
