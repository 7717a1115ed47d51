// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import WireGuardProtocol

    // The direction from the peers to the interfaces.
    extension WireGuardPlane {
        func receive(hasError: Bool) {
            if hasError, tunnel_discard_errors(socket.descriptor) > 0 { nextPathCheck = now }
            // After an idle time, a datagram usually arrives alone, and the poller reports any others.
            let isSingle = now.nanoseconds(since: lastReceived) > TunnelPort.pause
            lastReceived = now
            // The number of reads is limited, so that a busy socket does not delay other work.
            for _ in 0..<4 {
                let hasMore = received.receive(from: socket, isSingle: isSingle) { bytes, length, sender in
                    guard let endpoint = WireGuardEndpoint(sender) else { return }
                    var start = 0
                    while start < bytes.count {
                        let end = min(start + length, bytes.count)
                        receive(bytes.part(start..<end), from: endpoint)
                        start = end
                    }
                }
                for port in reached { port.flush() }
                guard hasMore else { break }
            }
            // Hosts often reply immediately, so their frames are read without waiting for the poller.
            while let port = reached.popLast() { send(from: port, .answer) }
        }

        private func receive(_ datagram: UnsafeMutableRawBufferPointer, from endpoint: WireGuardEndpoint) {
            if let lastSender, lastSender.endpoint == endpoint {
                if open(datagram, from: endpoint, lastSender.generation) { return }
            } else if let known = generationAt[endpoint], open(datagram, from: endpoint, known) {
                lastSender = (endpoint, known)
                return
            }
            for generation in generations.reversed() where open(datagram, from: endpoint, generation) {
                if generationAt.count > 4_096 { generationAt = [:] }
                generationAt[endpoint] = generation
                lastSender = (endpoint, generation)
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
            _ receipt: WireGuardReceiveResult, _ datagram: UnsafeMutableRawBufferPointer, _ generation: Generation
        ) {
            switch receipt {
            case .payload(let range, _):
                if let message = PathMessage(UnsafeRawBufferPointer(datagram.part(range))) {
                    return take(message, generation)
                }
                if !reached.contains(where: { $0 === generation.port }) { reached.append(generation.port) }
                generation.port.receive(
                    datagram.part(range), from: generation.innerSource, limit: generation.frameLimit, now: now)
            case .keepalive, .handshake: return
            case .refused: generation.port.counters.refusedDatagrams += 1
            }
        }

        private func take(_ message: PathMessage, _ generation: Generation) {
            switch message.kind {
            case .probe: send(PathMessage(.answer, message.identifier), payload: PathMessage.size, to: generation)
            case .answer:
                generation.takeAnswer(to: message.identifier, now: now)
                reportProbeResult(of: generation)
            }
        }
    }
#endif
