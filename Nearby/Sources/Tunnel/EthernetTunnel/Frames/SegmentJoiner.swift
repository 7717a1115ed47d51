// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Glibc

    /// Joins frames with successive TCP segments into one frame, which the kernel processes at nearly the cost of one
    /// segment.
    ///
    /// The bytes are not copied until the joined frame is written: only the first header is changed.
    struct SegmentJoiner {
        /// The frame being joined for one connection.
        fileprivate struct Flow {
            /// The bytes of the first frame, from the destination address to the end of its data.
            let head: UnsafeMutableRawBufferPointer
            let layout: TCPLayout
            /// The size of the data in each segment except the last.
            let size: Int
            /// The data of the further segments.
            var rest: [iovec] = []
            var dataLength: Int
            var nextSequence: UInt32
            /// Whether another segment may follow: the last one had the full size and no PSH flag.
            var isOpen: Bool
        }

        /// The maximum number of connections; more in one batch are rare.
        private static let limit = 8
        private static let maximumSegmentCount = 64
        private static let longestPacket = 65_535
        private var flows: [Flow] = []

        /// Adds a frame.
        ///
        /// - Parameters:
        ///   - frame: A frame whose bytes remain valid until ``flush(_:)``.
        ///   - write: Writes a frame to the interface: its header, its first bytes, and its further bytes.
        mutating func add(_ frame: UnsafeMutableRawBufferPointer, write: (OffloadHeader, iovec, [iovec]) -> Void) {
            let bytes = UnsafeRawBufferPointer(frame)
            guard let layout = TCPLayout(bytes) else { return write(OffloadHeader(), iovec(frame), []) }
            let known = flows.firstIndex { isSameConnection($0, bytes, layout) }
            let flags = bytes[layout.transport + 13]
            let isJoinable =
                flags & ~TCPLayout.Flag.push == TCPLayout.Flag.acknowledgement && layout.end > layout.payload
                && layout.isIntact(bytes)
            guard isJoinable else {
                // Earlier segments of the connection are written first, to preserve the order.
                if let known { Self.write(flows.remove(at: known), write) }
                return write(OffloadHeader(), iovec(frame), [])
            }
            if let known {
                if join(frame, layout, to: known) { return }
                Self.write(flows.remove(at: known), write)
            } else if flows.count == Self.limit {
                Self.write(flows.removeFirst(), write)
            }
            flows.append(Flow(frame, layout))
        }

        /// Writes all pending frames.
        mutating func flush(_ write: (OffloadHeader, iovec, [iovec]) -> Void) {
            for flow in flows { Self.write(flow, write) }
            flows.removeAll(keepingCapacity: true)
        }

        /// Returns whether MAC addresses, tags, IP addresses and ports are equal.
        private func isSameConnection(_ flow: Flow, _ bytes: UnsafeRawBufferPointer, _ layout: TCPLayout) -> Bool {
            let head = UnsafeRawBufferPointer(flow.head)
            let addresses =
                layout.isIPv4 ? layout.network + 12..<layout.network + 20 : layout.network + 8..<layout.network + 40
            return flow.layout.network == layout.network && flow.layout.isIPv4 == layout.isIPv4
                && flow.layout.transport == layout.transport
                && head.isEqual(bytes, layout.transport..<layout.transport + 4) && head.isEqual(bytes, addresses)
                && head.isEqual(bytes, 0..<layout.network)
        }

        private mutating func join(_ frame: UnsafeMutableRawBufferPointer, _ layout: TCPLayout, to index: Int) -> Bool {
            let bytes = UnsafeRawBufferPointer(frame)
            let data = layout.end - layout.payload
            let isContinued =
                flows[index].isOpen && data <= flows[index].size && flows[index].layout.payload == layout.payload
                && bytes.longWord(layout.transport + 4) == flows[index].nextSequence
                && flows[index].rest.count + 1 < Self.maximumSegmentCount
                && layout.payload - layout.network + flows[index].dataLength + data <= Self.longestPacket
                && hasSameFields(flows[index], bytes, layout)
            guard isContinued else { return false }
            flows[index].rest.append(iovec(frame.part(layout.payload..<layout.end)))
            flows[index].dataLength += data
            flows[index].nextSequence &+= UInt32(truncatingIfNeeded: data)
            let pushes = bytes[layout.transport + 13] & TCPLayout.Flag.push
            flows[index].head[layout.transport + 13] |= pushes
            flows[index].isOpen = data == flows[index].size && pushes == 0
            return true
        }

        /// Returns whether the fields are equal that segments of one frame share: traffic class, hop limit,
        /// acknowledgment, window and options.
        private func hasSameFields(_ flow: Flow, _ bytes: UnsafeRawBufferPointer, _ layout: TCPLayout) -> Bool {
            let head = UnsafeRawBufferPointer(flow.head)
            let (network, transport) = (layout.network, layout.transport)
            let hasSameNetworkFields =
                layout.isIPv4
                ? head.isEqual(bytes, network..<network + 2) && head.isEqual(bytes, network + 6..<network + 9)
                    && head.isEqual(bytes, network + 20..<transport)
                : head.isEqual(bytes, network..<network + 4) && head[network + 7] == bytes[network + 7]
            return hasSameNetworkFields && head.isEqual(bytes, transport + 8..<transport + 13)
                && head.isEqual(bytes, transport + 14..<transport + 16)
                && head.isEqual(bytes, transport + 20..<layout.payload)
        }

        private static func write(_ flow: Flow, _ write: (OffloadHeader, iovec, [iovec]) -> Void) {
            guard !flow.rest.isEmpty else { return write(OffloadHeader(), iovec(flow.head), []) }
            let layout = flow.layout
            layout.setEnd(layout.payload + flow.dataLength, of: flow.head)
            let sum = layout.pseudoHeader(
                of: UnsafeRawBufferPointer(flow.head), length: layout.payload - layout.transport + flow.dataLength)
            flow.head.storeBytes(of: sum.folded, toByteOffset: layout.transport + 16, as: UInt16.self)
            var header = OffloadHeader()
            header.isChecksumPartial = true
            header.segmentation = layout.isIPv4 ? .tcp4 : .tcp6
            header.headerLength = UInt16(truncatingIfNeeded: layout.payload)
            header.segmentSize = UInt16(truncatingIfNeeded: flow.size)
            header.checksumStart = UInt16(truncatingIfNeeded: layout.transport)
            header.checksumOffset = 16
            write(header, iovec(flow.head), flow.rest)
        }
    }

    extension SegmentJoiner.Flow {
        fileprivate init(_ frame: UnsafeMutableRawBufferPointer, _ layout: TCPLayout) {
            // The padding of a short frame must not be placed between two segments.
            head = frame.part(0..<layout.end)
            self.layout = layout
            size = layout.end - layout.payload
            dataLength = size
            nextSequence =
                UnsafeRawBufferPointer(frame).longWord(layout.transport + 4) &+ UInt32(truncatingIfNeeded: size)
            isOpen = frame[layout.transport + 13] & TCPLayout.Flag.push == 0
        }
    }

    extension iovec {
        /// Creates an I/O vector of the bytes.
        fileprivate init(_ bytes: UnsafeMutableRawBufferPointer) {
            self.init(iov_base: bytes.baseAddress, iov_len: bytes.count)
        }
    }

    extension UnsafeRawBufferPointer {
        /// Returns whether two buffers have equal bytes in a range that both contain.
        fileprivate func isEqual(_ other: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
            guard let one = baseAddress, let two = other.baseAddress else { return false }
            return memcmp(one + range.lowerBound, two + range.lowerBound, range.count) == 0
        }
    }
#endif
