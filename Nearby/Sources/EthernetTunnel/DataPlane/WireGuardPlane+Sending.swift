// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import WireGuardProtocol

    // From the interfaces to the peers.
    extension WireGuardPlane {
        /// The newest generation that can send; while there is none, the newest one, which keeps some payloads until it can.
        private func sendingGeneration(of port: TunnelPort) -> Generation? {
            generations.last { $0.port === port && $0.isEstablished } ?? generations.last { $0.port === port }
        }

        func send(from port: TunnelPort) {
            guard let generation = sendingGeneration(of: port) else {
                return port.read(limit: .max, now: now) { _ in port.counters.droppedFrames += 1 }
            }
            var isFirst = true
            port.read(limit: generation.frameLimit, now: now) { outgoing in
                switch outgoing {
                case .frame(let frame):
                    seal(generation, 1, length: { _ in frame.count }, write: { $1.copyMemory(from: frame) })
                    // Most frames come alone, and need not wait until the interface has been asked for another one.
                    if isFirst { sending.flush() }
                case .segments(let cutter):
                    seal(
                        generation, cutter.count, length: { cutter.length(of: $0) }, write: { cutter.write($0, to: $1) }
                    )
                case .oversized(let frame): sendFragments(of: frame, generation)
                }
                isFirst = false
            }
            if let address = port.takeLoopedAddress() { tell(.looped(port: port.tag, address: address)) }
        }

        /// Encrypts frames where they are written; the first one is the longest.
        private func seal(
            _ generation: Generation, _ count: Int, length: (Int) -> Int,
            write: (Int, UnsafeMutableRawBufferPointer) -> Void
        ) {
            let encapsulation = generation.encapsulation
            let start = WireGuardReservation.headroom + encapsulation.overhead
            if encapsulation.overhead + length(0) > generation.leastPayload { generation.hasSentLongPackets = true }
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

        /// Encrypts a message about the path, with zeros behind it up to a length; it is dropped where there is no session.
        func send(_ message: PathMessage, payload length: Int, to generation: Generation) {
            guard var reservation = generation.device.reserve(1, to: generation.key, now: now),
                reservation.remaining > 0
            else { return }
            let start = WireGuardReservation.headroom
            let buffer = sending.next(start + length + WireGuardReservation.tailroom)
            message.write(to: buffer.part(start..<start + length))
            sending.commit(reservation.seal(buffer, payload: length, limit: length), to: reservation.endpoint)
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
            generation.hasSentLongPackets = true
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
#endif
