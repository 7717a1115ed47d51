// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// Memory into which many datagrams are received by one system call.
    struct ReceivedBatch: ~Copyable {
        private static let room = 65_536
        private let memory: UnsafeMutableRawBufferPointer
        private let datagrams: UnsafeMutableBufferPointer<tunnel_datagram>
        /// For how many datagrams the next call makes room.
        ///
        /// Most come alone, and each place costs time. The second place shows without another system call that there is no more.
        private var places = leastPlaces
        private static let leastPlaces = 2

        init() {
            memory = .allocate(byteCount: Self.room * Int(TUNNEL_BATCH), alignment: 64)
            datagrams = .allocate(capacity: Int(TUNNEL_BATCH))
            datagrams.initialize(repeating: tunnel_datagram())
        }

        deinit {
            memory.deallocate()
            datagrams.deallocate()
        }

        /// Receives what is there.
        ///
        /// - Parameters:
        ///   - socket: From where.
        ///   - isAlone: Whether to take one datagram and leave others, if there are any, to the next call.
        ///   - body: Gets the bytes of each datagram, or of several of one sender, their length each, and the sender. The bytes stay until
        ///     the next call.
        /// - Returns: Whether there may be more.
        mutating func receive(
            from socket: DatagramSocket, isAlone: Bool = false,
            _ body: (UnsafeMutableRawBufferPointer, Int, UnsafePointer<sockaddr_storage>) -> Void
        ) -> Bool {
            let places = isAlone ? 1 : places
            for index in 0..<places {
                datagrams[index].bytes.iov_base = memory.baseAddress.map { $0 + index * Self.room }
                datagrams[index].bytes.iov_len = Self.room
            }
            let count = Int(tunnel_receive(socket.descriptor, datagrams.baseAddress, Int32(places)))
            for index in 0..<max(count, 0) {
                let start = index * Self.room
                let length = datagrams[index].bytes.iov_len
                guard length > 0 else { continue }
                let segment = Int(datagrams[index].segment)
                body(memory.part(start..<start + length), segment == 0 ? length : segment, &datagrams[index].address)
            }
            guard !isAlone else { return false }
            let isFull = count == places
            self.places = isFull ? min(places * 4, Int(TUNNEL_BATCH)) : max(count, Self.leastPlaces)
            return isFull
        }
    }
#endif
