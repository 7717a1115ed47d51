// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// Buffers for receiving many datagrams with one system call.
    struct ReceivedBatch: ~Copyable {
        private static let bufferSize = 65_536
        private let memory: UnsafeMutableRawBufferPointer
        private let datagrams: UnsafeMutableBufferPointer<tunnel_datagram>
        /// The number of datagrams that the next call can receive.
        ///
        /// Most datagrams arrive alone, and each buffer costs time. The second buffer detects the end of the queue
        /// without another system call.
        private var places = minimumBufferCount
        private static let minimumBufferCount = 2

        init() {
            memory = .allocate(byteCount: Self.bufferSize * Int(TUNNEL_BATCH), alignment: 64)
            datagrams = .allocate(capacity: Int(TUNNEL_BATCH))
            datagrams.initialize(repeating: tunnel_datagram())
        }

        deinit {
            memory.deallocate()
            datagrams.deallocate()
        }

        /// Receives the available datagrams.
        ///
        /// - Parameters:
        ///   - socket: The socket to read.
        ///   - isSingle: Whether to receive only one datagram, and leave any others to the next call.
        ///   - body: Receives the bytes of a datagram, or of several coalesced datagrams of one sender, with the length
        ///     of each datagram and the sender. The bytes are valid until the next call.
        /// - Returns: Whether more datagrams may be available.
        mutating func receive(
            from socket: DatagramSocket, isSingle: Bool = false,
            _ body: (UnsafeMutableRawBufferPointer, Int, UnsafePointer<sockaddr_storage>) -> Void
        ) -> Bool {
            let places = isSingle ? 1 : places
            for index in 0..<places {
                datagrams[index].bytes.iov_base = memory.baseAddress.map { $0 + index * Self.bufferSize }
                datagrams[index].bytes.iov_len = Self.bufferSize
            }
            let count = Int(tunnel_receive(socket.descriptor, datagrams.baseAddress, Int32(places)))
            for index in 0..<max(count, 0) {
                let start = index * Self.bufferSize
                let length = datagrams[index].bytes.iov_len
                guard length > 0 else { continue }
                let segment = Int(datagrams[index].segment)
                body(memory.part(start..<start + length), segment == 0 ? length : segment, &datagrams[index].address)
            }
            guard !isSingle else { return false }
            let isFull = count == places
            self.places = isFull ? min(places * 4, Int(TUNNEL_BATCH)) : max(count, Self.minimumBufferCount)
            return isFull
        }
    }
#endif
