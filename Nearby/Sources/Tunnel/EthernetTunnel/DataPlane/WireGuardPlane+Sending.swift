// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import WireGuardProtocol

    // The direction from the interfaces to the peers.
    extension WireGuardPlane {
        /// Returns the newest generation that can send, or else the newest generation, which queues some payloads until
        /// its session is established.
        private func sendingGeneration(of port: TunnelPort) -> Generation? {
            if let lastSource, lastSource.port === port { return lastSource.generation }
            let generation =
                generations.last { $0.port === port && $0.isEstablished } ?? generations.last { $0.port === port }
            lastSource = generation.map { (port, $0) }
            return generation
        }

        func send(from port: TunnelPort, _ reason: TunnelPort.ReadReason) {
            guard let generation = sendingGeneration(of: port) else {
                return port.read(reason, limit: .max, now: now) { _ in port.counters.droppedFrames += 1 }
            }
            var isFirst = true
            port.read(reason, limit: generation.frameLimit, now: now) { outgoing in
                switch outgoing {
                case .frame(let frame):
                    seal(frame, generation)
                    // Most frames arrive alone, so the first one is sent before the interface is read again.
                    if isFirst { sending.flush() }
                case .segments(let cutter):
                    seal(
                        generation, cutter.count, length: { cutter.length(of: $0) }, write: { cutter.write($0, to: $1) }
                    )
                case .oversized(let frame): sendFragments(of: frame, generation)
                }
                isFirst = false
            }
            if let address = port.takeLoopedAddress() { sendEvent(.looped(port: port.tag, address: address)) }
        }

        /// Encrypts a frame.
        private func seal(_ frame: UnsafeRawBufferPointer, _ generation: Generation) {
            let encapsulation = generation.encapsulation
            let start = WireGuardReservation.headroom + encapsulation.overhead
            let payload = encapsulation.overhead + frame.count
            if payload > generation.basePayload { generation.hasSentLongPackets = true }
            let buffer = sending.next(start + frame.count + WireGuardReservation.tailroom)
            encapsulation.writeHeader(to: buffer.part(WireGuardReservation.headroom..<start), frame: frame.count)
            buffer.part(start..<start + frame.count).copyMemory(from: frame)
            seal(buffer, payload, limit: paddingLimit(payload, generation), generation)
        }

        /// Encrypts a payload in place; without a session, the device queues a copy.
        private func seal(
            _ buffer: UnsafeMutableRawBufferPointer, _ payload: Int, limit: Int, _ generation: Generation
        ) {
            let result = generation.device.send(buffer, payload: payload, limit: limit, to: generation.key, now: now)
            if case .datagram(let length, let endpoint) = result { sending.commit(length, to: endpoint) }
        }

        /// Returns the maximum length with padding: a frame has no length field, so padding is allowed only behind an
        /// IP header.
        private func paddingLimit(_ payload: Int, _ generation: Generation) -> Int {
            if case .direct = generation.encapsulation { payload } else { generation.maximumPayload }
        }

        /// Encrypts segments in the buffers to which they are written; the first segment is the longest.
        private func seal(
            _ generation: Generation, _ count: Int, length: (Int) -> Int,
            write: (Int, UnsafeMutableRawBufferPointer) -> Void
        ) {
            let encapsulation = generation.encapsulation
            let start = WireGuardReservation.headroom + encapsulation.overhead
            if encapsulation.overhead + length(0) > generation.basePayload { generation.hasSentLongPackets = true }
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
                    let limit = paddingLimit(payload, generation)
                    sending.commit(reservation.seal(buffer, payload: payload, limit: limit), to: endpoint)
                    index += 1
                }
            }
        }

        /// Encrypts a path message padded with zeros to a length; the message is dropped if there is no session.
        func send(_ message: PathMessage, payload length: Int, to generation: Generation) {
            guard var reservation = generation.device.reserve(1, to: generation.key, now: now),
                reservation.remaining > 0
            else { return }
            let start = WireGuardReservation.headroom
            let buffer = sending.next(start + length + WireGuardReservation.tailroom)
            message.write(to: buffer.part(start..<start + length))
            sending.commit(reservation.seal(buffer, payload: length, limit: length), to: reservation.endpoint)
        }

        /// Queues frames in the device until there is a session.
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

        /// Sends fragments, whose maximum length is a multiple of 16 because the device pads them to such a multiple.
        private func sendFragments(of frame: UnsafeRawBufferPointer, _ generation: Generation) {
            generation.hasSentLongPackets = true
            let fragments = generation.encapsulation.fragments(
                of: frame, limit: generation.maximumPayload & ~15,
                identification: generation.port.takeIdentification())
            for fragment in fragments {
                let buffer = sending.next(
                    WireGuardReservation.headroom + fragment.count + WireGuardReservation.tailroom)
                buffer.part(WireGuardReservation.headroom..<WireGuardReservation.headroom + fragment.count)
                    .copyBytes(from: fragment)
                seal(buffer, fragment.count, limit: .max, generation)
            }
        }
    }
#endif
