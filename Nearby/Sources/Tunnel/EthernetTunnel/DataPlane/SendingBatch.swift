// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// Collects datagrams and sends them with few system calls: datagrams of equal length to one peer form one train
    /// (UDP_SEGMENT).
    struct SendingBatch: ~Copyable {
        /// The kernel's limits for one train (`UDP_MAX_SEGMENTS` before Linux 6.10, and the maximum length of an IP
        /// packet).
        private static let maximumTrainLength = 65_000
        private static let maximumSegmentCount = 64
        private static let bufferSize = 1 << 20

        private let socket: DatagramSocket
        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
        private let datagrams: UnsafeMutableBufferPointer<tunnel_datagram>
        private var used = 0
        private var count = 0
        /// The destination of the last datagram, also as a socket address.
        private var lastEndpoint: WireGuardEndpoint?
        private var lastAddress = RawAddress()
        /// The number of datagrams that the kernel rejected as too long, because the path MTU has decreased.
        private(set) var tooLong = 0
        /// The number of datagrams that the kernel rejected for other reasons.
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

        /// Returns a buffer for the next datagram, after sending the collected datagrams if the remaining space is too
        /// small.
        mutating func next(_ length: Int) -> UnsafeMutableRawBufferPointer {
            if used + length > Self.bufferSize { flush() }
            return memory.part(used..<min(used + length, Self.bufferSize))
        }

        /// Adds the datagram written to the buffer from ``next(_:)``.
        mutating func commit(_ length: Int, to endpoint: WireGuardEndpoint) {
            if joins(length, to: endpoint) {
                datagrams[count - 1].bytes.iov_len += length
            } else {
                if count == Int(TUNNEL_BATCH) { flushRetaining(length) }
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
            // Comparing optional values would call a generic function.
            if let lastEndpoint { lastEndpoint == endpoint } else { false }
        }

        /// Returns whether the datagram can extend the current train: all datagrams have the same length, except that
        /// the last may be shorter.
        private func joins(_ length: Int, to endpoint: WireGuardEndpoint) -> Bool {
            guard socket.hasOffloads, count > 0, isLast(endpoint) else { return false }
            let total = datagrams[count - 1].bytes.iov_len
            guard total + length <= Self.maximumTrainLength else { return false }
            let segment = Int(datagrams[count - 1].segment)
            if segment == 0 {
                guard length <= total else { return false }
                datagrams[count - 1].segment = UInt16(truncatingIfNeeded: total)
                return true
            }
            return length <= segment && total % segment == 0 && total / segment < Self.maximumSegmentCount
        }

        /// Sends the collected datagrams, and moves the datagram written last to the start of the memory.
        private mutating func flushRetaining(_ length: Int) {
            let start = used
            flush()
            memory.part(0..<length).copyMemory(from: UnsafeRawBufferPointer(memory.part(start..<start + length)))
        }

        /// Sends the collected datagrams.
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
                // The socket reports an error caused by an earlier datagram only once, so the call is repeated.
                if code != EMSGSIZE, code != EINVAL, code != EAGAIN, repeats < 2 {
                    repeats += 1
                    continue
                }
                // A train is invalid if its datagrams are longer than the path MTU.
                if code == EMSGSIZE || code == EINVAL { tooLong += 1 } else { refused += 1 }
                (sent, repeats) = (sent + 1, 0)
            }
            (used, count) = (0, 0)
        }

        /// Returns the number of rejected long datagrams since the last call.
        mutating func takeTooLong() -> Int {
            defer { tooLong = 0 }
            return tooLong
        }
    }
#endif
