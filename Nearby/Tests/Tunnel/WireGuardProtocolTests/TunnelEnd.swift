// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import Glibc
    import Testing

    @testable import WireGuardProtocol

    /// The test's end of a tunnel: a device, a UDP socket, and a minimal ICMP implementation for pings in both
    /// directions.
    final class TunnelEnd {
        var device: WireGuardDevice
        /// An offset added to the clock, so that sessions age without waiting.
        var skew = Duration.zero
        private(set) var events: [WireGuardEvent] = []
        private(set) var receipts: [WireGuardReceiveResult] = []
        private(set) var types: [UInt8] = []
        private(set) var repliesReceived = 0
        private let socket: CInt
        private let other: WireGuardPublicKey
        private let endpoint: WireGuardEndpoint

        init(device: consuming WireGuardDevice, to peer: WireGuardGo, presharedKey: [UInt8]?, knowsEndpoint: Bool)
            throws
        {
            self.device = device
            socket = try peer.socket()
            other = peer.publicKey
            endpoint = try #require(WireGuardEndpoint(address: [127, 0, 0, 1], port: WireGuardGo.port))
            try self.device.addPeer(
                WireGuardPeer(
                    publicKey: other, presharedKey: presharedKey.map { SymmetricKey(data: $0) },
                    endpoint: knowsEndpoint ? endpoint : nil), now: now)
        }

        deinit { close(socket) }

        var now: Instant { .now + skew }

        /// Processes packets until a condition holds.
        ///
        /// - Returns: Whether it held before the timeout.
        func run(for duration: Duration, until isDone: () -> Bool) -> Bool {
            let end = Instant.now + duration
            while true {
                transmit()
                if isDone() { return true }
                guard Instant.now < end else { return false }
                var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                if poll(&descriptor, 1, 5) > 0 { receive() }
                if let deadline = device.nextDeadline, deadline <= now { device.timersFired(now: now) }
                events += device.takeEvents()
            }
        }

        private func receive() {
            var buffer = [UInt8](repeating: 0, count: 2_048)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { return }
            buffer.removeLast(buffer.count - count)
            types += buffer.prefix(1)
            let receipt = buffer.withUnsafeMutableBytes { device.receive($0, from: endpoint, now: now) }
            receipts.append(receipt)
            if case .payload(let range, _) = receipt { answer(Array(buffer[range])) }
        }

        private func transmit() {
            for datagram in device.takeOutgoing() { send(datagram.bytes) }
        }

        /// Sends a datagram to wireguard-go.
        func send(_ bytes: [UInt8], from socket: CInt? = nil) {
            var address = sockaddr_in.loopback(port: WireGuardGo.port)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(socket ?? self.socket, bytes, bytes.count, 0, $0, size)
                }
            }
        }

        /// Sends an IP packet through the tunnel.
        private func sendPacket(_ packet: [UInt8]) {
            var buffer =
                [UInt8](repeating: 0, count: WireGuardReservation.headroom) + packet
                + [UInt8](repeating: 0, count: WireGuardReservation.tailroom)
            let outcome = buffer.withUnsafeMutableBytes {
                device.send($0, payload: packet.count, to: other, now: now)
            }
            if case .datagram(let length, _) = outcome { send(Array(buffer.prefix(length))) }
        }

        /// Sends an echo request.
        func ping(bytes: Int) {
            let length = UInt16(28 + bytes)
            var packet: [UInt8] = [0x45, 0, UInt8(length >> 8), UInt8(length & 0xFF), 0, 0, 0, 0, 64, 1, 0, 0]
            packet += [10, 77, 0, 2, 10, 77, 0, 1]
            packet.setChecksum(of: 0..<20, at: 10)
            packet += [8, 0, 0, 0, 0x12, 0x34, 0, 1] + (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
            packet.setChecksum(of: 20..<packet.count, at: 22)
            sendPacket(packet)
        }

        /// Answers an echo request, and counts a reply.
        private func answer(_ padded: [UInt8]) {
            guard padded.count >= 28, padded[0] == 0x45, padded[9] == 1 else { return }
            var packet = Array(padded.prefix(Int(padded[2]) << 8 | Int(padded[3])))
            switch packet[20] {
            case 0: repliesReceived += 1
            case 8:
                packet.replaceSubrange(12..<20, with: packet[16..<20] + packet[12..<16])
                packet[20] = 0
                packet.setChecksum(of: 20..<packet.count, at: 22)
                sendPacket(packet)
            default: break
            }
        }
    }

    extension [UInt8] {
        /// Writes the Internet checksum (RFC 1071) of a range into two of its bytes.
        fileprivate mutating func setChecksum(of range: Range<Int>, at position: Int) {
            (self[position], self[position + 1]) = (0, 0)
            var sum = 0
            for index in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
                sum += Int(self[index]) << 8 + (index + 1 < range.upperBound ? Int(self[index + 1]) : 0)
            }
            while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
            (self[position], self[position + 1]) = (UInt8(~sum >> 8 & 0xFF), UInt8(~sum & 0xFF))
        }
    }
#endif
