// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// Carries frames between a TAP interface and a peer in unencrypted EtherIP packets (RFC 3378), in a separate
    /// thread.
    final class PlainPlane {
        private static let mailboxTag = -1
        private static let socketTag = -2
        private static let interfaceTag = 1

        private let socket: DatagramSocket
        private let mailbox: Mailbox<DataPlaneCommand>
        private let peer: WireGuardEndpoint
        private let port: TunnelPort
        private let sendEvent: @Sendable (DataPlaneEvent) -> Void
        private let poller: Poller
        private var received = ReceivedBatch()
        private var sending: SendingBatch
        private var now = Instant.now
        private var isStopped = false
        private var frameLimit: Int
        private var refused = 0

        private init(
            _ socket: DatagramSocket, to peer: WireGuardEndpoint, _ tap: TAPInterface, ownAddresses: Set<UInt64>,
            _ mailbox: Mailbox<DataPlaneCommand>, _ sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            (self.socket, self.mailbox, self.peer, self.sendEvent) = (socket, mailbox, peer, sendEvent)
            port = TunnelPort(Self.interfaceTag, tap, ownAddresses: ownAddresses)
            frameLimit = Self.frameLimit(to: peer)
            sending = SendingBatch(socket)
            poller = try Poller()
            try poller.add(mailbox.descriptor, tag: Self.mailboxTag)
            try poller.add(socket.descriptor, tag: Self.socketTag)
            try poller.add(tap.descriptor, tag: Self.interfaceTag)
        }

        /// Returns the maximum frame size that avoids fragmentation on the path.
        static func frameLimit(to peer: WireGuardEndpoint) -> Int {
            (peer.pathMTU ?? 1_500) - (peer.isIPv4 ? 20 : 40) - EtherIP.headerSize
        }

        static func start(
            _ socket: DatagramSocket, to peer: WireGuardEndpoint, _ tap: TAPInterface, ownAddresses: Set<UInt64>,
            _ mailbox: Mailbox<DataPlaneCommand>, sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) {
            try DataPlaneThread.start {
                let plane = try? PlainPlane(socket, to: peer, tap, ownAddresses: ownAddresses, mailbox, sendEvent)
                plane?.run()
                sendEvent(.stopped)
            }
        }

        private func run() {
            while !isStopped {
                let ready = poller.wait(until: nil, now: now)
                now = .now
                for index in 0..<ready {
                    switch poller.event(index).tag {
                    case Self.mailboxTag: for command in mailbox.take() { perform(command) }
                    case Self.socketTag:
                        receive()
                        // Hosts often reply immediately.
                        send(.answer)
                    default: send(.ready)
                    }
                }
                sending.flush()
                if let address = port.takeLoopedAddress() {
                    sendEvent(.looped(port: Self.interfaceTag, address: address))
                }
            }
        }

        private func perform(_ command: DataPlaneCommand) {
            switch command {
            case .stop: isStopped = true
            case .reportCounters: sendEvent(.counters([Self.interfaceTag: port.counters], refused: refused))
            default: return
            }
        }

        private func send(_ reason: TunnelPort.ReadReason) {
            var isFirst = true
            port.read(reason, limit: frameLimit, now: now) { outgoing in
                switch outgoing {
                // IP fragments packets that are too long.
                case .frame(let frame), .oversized(let frame):
                    commit(frame.count) { $0.copyMemory(from: frame) }
                    // Most frames arrive alone, so the first one is sent before the interface is read again.
                    if isFirst { sending.flush() }
                case .segments(let cutter):
                    for index in 0..<cutter.count {
                        commit(cutter.length(of: index)) { cutter.write(index, to: $0) }
                    }
                }
                isFirst = false
            }
        }

        private func commit(_ length: Int, write: (UnsafeMutableRawBufferPointer) -> Void) {
            let buffer = sending.next(EtherIP.headerSize + length)
            EtherIP.writeHeader(to: buffer)
            write(buffer.part(EtherIP.headerSize..<EtherIP.headerSize + length))
            sending.commit(EtherIP.headerSize + length, to: peer)
        }

        private func receive() {
            _ = received.receive(from: socket) { bytes, _, sender in
                // The address is the only identification of the peer, and anyone can forge it.
                guard WireGuardEndpoint(sender)?.address == peer.address else {
                    refused += 1
                    return
                }
                // Raw IPv4 sockets also deliver the IP header.
                let header = peer.isIPv4 ? Int((bytes.first ?? 0) & 0x0F) * 4 : 0
                guard header <= bytes.count else { return }
                port.receive(bytes.part(header..<bytes.count), from: nil, limit: frameLimit, now: now)
            }
            port.flush()
        }
    }
#endif
