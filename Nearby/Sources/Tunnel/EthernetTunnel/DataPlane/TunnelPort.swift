// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// The local side of a tunnel: a TAP interface, used by one thread.
    final class TunnelPort {
        /// The maximum number of frames to read before other work is done; their segments fit the sending batch.
        private static let burst = 16
        /// The idle time after which a frame usually arrives alone, in nanoseconds.
        static let pause: Int64 = 1_000_000
        private static let bufferSize = 1 << 17

        let tag: Int
        let tap: TAPInterface
        // Only one thread uses this object; see `WireGuardPlane`.
        @exclusivity(unchecked) var counters = TunnelCounters()
        private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
        @exclusivity(unchecked) private var joiner = SegmentJoiner()
        private var reassembly = Reassembly()
        @exclusivity(unchecked) private var watch: LoopDetector
        @exclusivity(unchecked) private var lastRead = Instant.now
        @exclusivity(unchecked) private var lastReceived = Instant.now
        /// Whether the host had frames to send immediately after it last received some.
        @exclusivity(unchecked) private var repliesImmediately = true
        private var nextIdentification = UInt32.random(in: .min ... .max)
        /// The MAC address of a host whose frames loop, once a loop is detected.
        @exclusivity(unchecked) private(set) var loopedAddress: UInt64?

        /// - Parameters:
        ///   - tag: The data plane's identifier of the port.
        ///   - tap: The interface.
        ///   - ownAddresses: The MAC addresses of this side's interfaces.
        init(_ tag: Int, _ tap: TAPInterface, ownAddresses: Set<UInt64>) {
            (self.tag, self.tap) = (tag, tap)
            watch = LoopDetector(ownAddresses: ownAddresses)
        }

        deinit { scratch.deallocate() }

        /// Returns the MAC address of a host whose frames loop, only once for each detection.
        func takeLoopedAddress() -> UInt64? {
            defer { loopedAddress = nil }
            return loopedAddress
        }
    }

    // MARK: - From the interface

    extension TunnelPort {
        /// A frame to send, or a frame to split into several segments.
        enum Outgoing {
            case frame(UnsafeRawBufferPointer)
            case segments(SegmentSplitter)
            /// A frame longer than the tunnel can send unfragmented.
            case oversized(UnsafeRawBufferPointer)
        }

        /// The reason for reading frames.
        enum ReadReason {
            /// The poller reported that frames are available.
            case ready
            /// The host has just received frames and may have replied.
            case answer
        }

        /// Reads frames until none is available or the burst limit is reached; after an idle time it reads only one,
        /// because the poller reports any others.
        ///
        /// - Parameters:
        ///   - reason: The reason; for replies, nothing is read if the last replies were late.
        ///   - limit: The maximum frame size that the tunnel can send unfragmented, in bytes.
        ///   - now: The current time.
        ///   - body: Sends a frame, which remains valid until the function returns.
        func read(_ reason: ReadReason, limit: Int, now: Instant, _ body: (Outgoing) -> Void) {
            switch reason {
            case .ready: repliesImmediately = now.nanoseconds(since: lastReceived) < Self.pause
            case .answer:
                guard repliesImmediately else { return }
                repliesImmediately = false
            }
            for _ in 0..<(now.nanoseconds(since: lastRead) < Self.pause ? Self.burst : 1) {
                let length = Glibc.read(tap.descriptor, scratch.baseAddress, scratch.count)
                guard length > OffloadHeader.size + 14 else {
                    if length < 0 { return }
                    continue
                }
                lastRead = now
                if case .answer = reason { repliesImmediately = true }
                let frame = scratch.part(OffloadHeader.size..<length)
                guard let header = OffloadHeader(UnsafeRawBufferPointer(scratch)) else {
                    counters.droppedFrames += 1
                    continue
                }
                prepare(frame, header, limit: limit, now: now, body)
            }
        }

        private func prepare(
            _ frame: UnsafeMutableRawBufferPointer, _ header: OffloadHeader, limit: Int, now: Instant,
            _ body: (Outgoing) -> Void
        ) {
            let bytes = UnsafeRawBufferPointer(frame)
            // The check runs afterwards, because any work before sending adds latency.
            defer { if let address = watch.note(bytes, .sent, now: now) { loopedAddress = address } }
            if header.segmentation != .none {
                let size = Int(header.segmentSize)
                guard let cutter = SegmentSplitter(bytes, segmentSize: size, limit: limit) else {
                    counters.droppedFrames += 1
                    return
                }
                count(cutter.count, bytes.count)
                return body(.segments(cutter))
            }
            guard header.completeChecksum(of: frame) else {
                counters.droppedFrames += 1
                return
            }
            SegmentSizeClamp.apply(to: frame, mtu: limit - 18)
            count(1, bytes.count)
            guard bytes.count > limit else { return body(.frame(bytes)) }
            // TCP data can be split at any point, so no segment needs fragmentation.
            if let cutter = SegmentSplitter(bytes, segmentSize: .max, limit: limit) { return body(.segments(cutter)) }
            counters.fragmentedFrames += 1
            body(.oversized(bytes))
        }

        private func count(_ frames: Int, _ bytes: Int) {
            counters.sentFrames += frames
            counters.sentBytes += bytes
        }

        /// Returns the identification for the fragments of the next frame.
        func takeIdentification() -> UInt32 {
            nextIdentification &+= 1
            return nextIdentification
        }
    }

    // MARK: - To the interface

    extension TunnelPort {
        /// Processes a payload from the tunnel: EtherIP, directly or in an IP packet or fragment.
        ///
        /// - Parameters:
        ///   - payload: The bytes, which must remain valid until ``flush()``.
        ///   - source: The required source address of IP packets; `nil` for any.
        ///   - limit: The maximum frame size that the tunnel can send unfragmented, in bytes.
        ///   - now: The current time.
        func receive(
            _ payload: UnsafeMutableRawBufferPointer, from source: [UInt8]?, limit: Int, now: Instant
        ) {
            let bytes = UnsafeRawBufferPointer(payload)
            if EtherIP.hasHeader(bytes) { return receive(etherIP: payload, limit: limit, now: now) }
            guard let packet = InnerPacket(bytes, from: source) else {
                counters.malformedPackets += 1
                return
            }
            guard let fragment = packet.fragment else {
                return receive(etherIP: payload.part(packet.payload), limit: limit, now: now)
            }
            guard var reassembled = reassembly.add(fragment, bytes.part(packet.payload), now: now) else { return }
            reassembled.withUnsafeMutableBytes { reassembled in
                receive(etherIP: reassembled, limit: limit, now: now)
                // The memory of the reassembled packet is released afterwards.
                flush()
            }
        }

        private func receive(etherIP packet: UnsafeMutableRawBufferPointer, limit: Int, now: Instant) {
            guard EtherIP.hasHeader(UnsafeRawBufferPointer(packet)), packet.count >= EtherIP.headerSize + 14 else {
                counters.malformedPackets += 1
                return
            }
            let frame = packet.part(EtherIP.headerSize..<packet.count)
            counters.receivedFrames += 1
            counters.receivedBytes += frame.count
            lastReceived = now
            defer {
                if let address = watch.note(UnsafeRawBufferPointer(frame), .received, now: now) {
                    loopedAddress = address
                }
            }
            SegmentSizeClamp.apply(to: frame, mtu: limit - 18)
            if tap.hasOffloads {
                joiner.add(frame) { write($0, $1, $2) }
            } else {
                write(OffloadHeader(), iovec(iov_base: frame.baseAddress, iov_len: frame.count), [])
            }
        }

        /// Writes the frames that are waiting for further segments.
        func flush() { joiner.flush { write($0, $1, $2) } }

        private func write(_ header: OffloadHeader, _ first: iovec, _ rest: [iovec]) {
            let result = withUnsafeTemporaryAllocation(byteCount: OffloadHeader.size, alignment: 2) { bytes in
                header.write(to: bytes)
                return withUnsafeTemporaryAllocation(of: iovec.self, capacity: rest.count + 2) { all in
                    all.initializeElement(at: 0, to: iovec(iov_base: bytes.baseAddress, iov_len: bytes.count))
                    all.initializeElement(at: 1, to: first)
                    _ = all[2...].initialize(fromContentsOf: rest)
                    return writev(tap.descriptor, all.baseAddress, Int32(all.count))
                }
            }
            if result < 0 { counters.droppedFrames += 1 }
        }
    }
#endif
