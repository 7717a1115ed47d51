// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import WireGuardProtocol

    extension WireGuardPlane {
        /// The interval for querying the kernel's MTU of all paths.
        private static let pathInterval = Duration.seconds(15)

        func runTimers() {
            for generation in generations {
                if let due = generation.device.nextDeadline, due <= now { generation.device.timersFired(now: now) }
                if let due = generation.searchDeadline, due <= now {
                    if let (message, length) = generation.takeProbe(now: now) {
                        send(message, payload: length, to: generation)
                    }
                    reportProbeResult(of: generation)
                }
            }
            guard nextPathCheck <= now else { return }
            nextPathCheck = now + Self.pathInterval
            for generation in generations {
                guard let path = generation.updatePathMTU(now: now) else { continue }
                sendEvent(.pathChanged(generation.identifier, path, by: .kernel))
            }
        }

        /// Reports changes of the path limits that probes have found.
        func reportProbeResult(of generation: Generation) {
            guard let path = generation.takeChangedPath() else { return }
            sendEvent(.pathChanged(generation.identifier, path, by: .probes))
        }

        /// Sends the devices' pending datagrams, and reports their events.
        func settle() {
            for generation in generations where generation.device.hasPendingOutput {
                for datagram in generation.device.takeOutgoing() {
                    let buffer = sending.next(datagram.bytes.count)
                    buffer.copyBytes(from: datagram.bytes)
                    sending.commit(datagram.bytes.count, to: datagram.endpoint)
                }
                for event in generation.device.takeEvents() { sendEvent(event, of: generation) }
            }
            sending.flush()
            if sending.takeTooLong() > 0 { nextPathCheck = now }
        }

        private func sendEvent(_ event: WireGuardEvent, of generation: Generation) {
            switch event {
            case .established:
                generation.updatePathMTU(now: now)
                guard !generation.isEstablished else { return }
                generation.isEstablished = true
                lastSource = nil
                sendEvent(
                    .established(
                        generation.identifier, at: generation.endpoint?.text ?? "", generation.reportPath()))
            case .moved(_, let endpoint):
                let path = generation.updatePathMTU(now: now, hasMoved: true)
                guard generation.isEstablished else { return }
                if let path { sendEvent(.pathChanged(generation.identifier, path, by: .kernel)) }
                sendEvent(.moved(generation.identifier, to: endpoint.text))
            case .unanswered: sendEvent(.unanswered(generation.identifier))
            // The next frame starts a new handshake.
            case .expired: return
            }
        }
    }
#endif
