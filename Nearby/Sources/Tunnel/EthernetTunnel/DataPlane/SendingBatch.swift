// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// Gathers datagrams and sends them by few system calls: those of one length to one peer as one train (UDP_SEGMENT).
    struct SendingBatch: ~Copyable {
        /// What the kernel takes at once (`UDP_MAX_SEGMENTS` before Linux 6.10, and the length of an IP packet).
        private static let longestTrain = 65_000
        private static let mostSegments = 64
        private static let room = 1 << 20

        private let socket: DatagramSocket
        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 64)
        private let datagrams: UnsafeMutableBufferPointer<tunnel_datagram>
        private var used = 0
        private var count = 0
        /// Where the last datagram goes, and below as an address.
        private var lastEndpoint: WireGuardEndpoint?
        private var lastAddress = RawAddress()
        /// How many datagrams the kernel refused as too long, since the path has become narrower.
        private(set) var tooLong = 0
        /// How many datagrams it refused otherwise.
        private(set) var refused = 0

        init(_ socket: DatagramSocket) {
            self.socket = socket
            datagrams = .allocate(capacity: Int(TUNNEL_BATCH))
            datagrams.initialize(repeating: tunnel_datagram())
        }

        deinit {
            memory.deallocate()
            datagrams.deallocate()
        }

        /// Room for the next datagram; sends what is gathered where there is too little.
        mutating func next(_ length: Int) -> UnsafeMutableRawBufferPointer {
            if used + length > Self.room { flush() }
            return memory.part(used..<min(used + length, Self.room))
        }

        /// Adds the datagram that was written to the room of ``next(_:)``.
        mutating func commit(_ length: Int, to endpoint: WireGuardEndpoint) {
            if joins(length, to: endpoint) {
                datagrams[count - 1].bytes.iov_len += length
            } else {
                if count == Int(TUNNEL_BATCH) { flushKeeping(length) }
                if !isLast(endpoint) { lastAddress = RawAddress(endpoint, isMapped: socket.isIPv6) }
                datagrams[count].address = lastAddress.storage
                datagrams[count].address_length = lastAddress.length
                datagrams[count].bytes = iovec(iov_base: memory.baseAddress.map { $0 + used }, iov_len: length)
                datagrams[count].segment = 0
                count += 1
                lastEndpoint = endpoint
            }
            used += length
        }

        private func isLast(_ endpoint: WireGuardEndpoint) -> Bool {
            // A comparison of optional values would be a generic one.
            if let lastEndpoint { lastEndpoint == endpoint } else { false }
        }

        /// A train has datagrams of one length; only its last one may be shorter.
        private func joins(_ length: Int, to endpoint: WireGuardEndpoint) -> Bool {
            guard socket.hasOffloads, count > 0, isLast(endpoint) else { return false }
            let total = datagrams[count - 1].bytes.iov_len
            guard total + length <= Self.longestTrain else { return false }
            let segment = Int(datagrams[count - 1].segment)
            if segment == 0 {
                guard length <= total else { return false }
                datagrams[count - 1].segment = UInt16(truncatingIfNeeded: total)
                return true
            }
            return length <= segment && total % segment == 0 && total / segment < Self.mostSegments
        }

        /// Sends everything, and moves the datagram that was written last to the beginning.
        private mutating func flushKeeping(_ length: Int) {
            let start = used
            flush()
            memory.part(0..<length).copyMemory(from: UnsafeRawBufferPointer(memory.part(start..<start + length)))
        }

        /// Sends everything.
        mutating func flush() {
            var (sent, repeats) = (0, 0)
            while sent < count {
                let result = tunnel_send(
                    socket.descriptor, datagrams.baseAddress.map { $0 + sent }, Int32(count - sent))
                if result > 0 {
                    (sent, repeats) = (sent + Int(result), 0)
                    continue
                }
                let code = errno
                // An error that an earlier datagram was answered with is told once.
                if code != EMSGSIZE, code != EINVAL, code != EAGAIN, repeats < 2 {
                    repeats += 1
                    continue
                }
                // A train whose pieces are longer than the path takes is invalid.
                if code == EMSGSIZE || code == EINVAL { tooLong += 1 } else { refused += 1 }
                (sent, repeats) = (sent + 1, 0)
            }
            (used, count) = (0, 0)
        }

        /// The number of datagrams that were too long since the last call.
        mutating func takeTooLong() -> Int {
            defer { tooLong = 0 }
            return tooLong
        }
    }
#endif
