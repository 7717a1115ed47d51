// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import WireGuardProtocol

    // From the interfaces to the peers.
    extension WireGuardPlane {
        /// The newest generation that can send; while there is none, the newest one, which keeps some payloads until it can.
        private func sendingGeneration(of port: TunnelPort) -> Generation? {
            if let lastSource, lastSource.port === port { return lastSource.generation }
            let generation =
                generations.last { $0.port === port && $0.isEstablished } ?? generations.last { $0.port === port }
            lastSource = generation.map { (port, $0) }
            return generation
        }

        func send(from port: TunnelPort, _ occasion: TunnelPort.Occasion) {
            guard let generation = sendingGeneration(of: port) else {
                return port.read(occasion, limit: .max, now: now) { _ in port.counters.droppedFrames += 1 }
            }
            var isFirst = true
            port.read(occasion, limit: generation.frameLimit, now: now) { outgoing in
                switch outgoing {
                case .frame(let frame):
                    seal(frame, generation)
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

        /// Encrypts a frame.
        private func seal(_ frame: UnsafeRawBufferPointer, _ generation: Generation) {
            let encapsulation = generation.encapsulation
            let start = WireGuardReservation.headroom + encapsulation.overhead
            let payload = encapsulation.overhead + frame.count
            if payload > generation.leastPayload { generation.hasSentLongPackets = true }
            let buffer = sending.next(start + frame.count + WireGuardReservation.tailroom)
            encapsulation.writeHeader(to: buffer.part(WireGuardReservation.headroom..<start), frame: frame.count)
            buffer.part(start..<start + frame.count).copyMemory(from: frame)
            seal(buffer, payload, limit: paddingLimit(payload, generation), generation)
        }

        /// Encrypts a payload where it is, or leaves a copy to the device until there is a session.
        private func seal(
            _ buffer: UnsafeMutableRawBufferPointer, _ payload: Int, limit: Int, _ generation: Generation
        ) {
            let result = generation.device.send(buffer, payload: payload, limit: limit, to: generation.key, now: now)
            if case .datagram(let length, let endpoint) = result { sending.commit(length, to: endpoint) }
        }

        /// A frame does not say where it ends, so that nothing may be behind it unless an IP header says so.
        private func paddingLimit(_ payload: Int, _ generation: Generation) -> Int {
            if case .direct = generation.encapsulation { payload } else { generation.greatestPayload }
        }

        /// Encrypts segments where they are written; the first one is the longest.
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
                    let limit = paddingLimit(payload, generation)
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
                seal(buffer, fragment.count, limit: .max, generation)
            }
        }
    }
#endif
