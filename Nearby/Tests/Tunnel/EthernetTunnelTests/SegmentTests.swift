// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Glibc
import Testing

@testable import EthernetTunnel

@Suite struct SegmentTests {
    static let shapes = [true, false].flatMap { isIPv4 in
        [true, false].map {
            FrameFactory.Shape(isIPv4: isIPv4, isTagged: $0, options: [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2])
        }
    }

    private static func cut(_ frame: [UInt8], size: Int, limit: Int = 1_500) throws -> [[UInt8]] {
        try frame.withUnsafeBytes { bytes in
            let cutter = try #require(SegmentSplitter(bytes, segmentSize: size, limit: limit))
            return (0..<cutter.count).map { index in
                var segment: [UInt8] = Array(repeating: 0, count: cutter.length(of: index))
                segment.withUnsafeMutableBytes { cutter.write(index, to: $0) }
                return segment
            }
        }
    }

    @Test("Split segments have correct checksums, and joining them gives the original frame", arguments: shapes)
    func roundTrip(shape: FrameFactory.Shape) throws {
        let data = (0..<5_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let flags = TCPLayout.Flag.acknowledgement | TCPLayout.Flag.push
        let frame = FrameFactory.segment(shape, flags: flags, sequence: .max - 2_000, data: data)
        var segments = try Self.cut(frame, size: 1_000)
        #expect(segments.count == 6 && segments.allSatisfy(FrameFactory.isIntact))

        var written: [(OffloadHeader, [UInt8])] = []
        var joiner = SegmentJoiner()
        let buffers = segments.indices.map { index in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: segments[index].count, alignment: 8)
            buffer.copyBytes(from: segments[index])
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        let write: (OffloadHeader, iovec, [iovec]) -> Void = { header, first, rest in
            let bytes = ([first] + rest).flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
            written.append((header, bytes))
        }
        for buffer in buffers { joiner.add(buffer, write: write) }
        joiner.flush(write)
        #expect(written.count == 1)
        var (header, joined) = try #require(written.first)
        #expect(header.segmentation == (shape.isIPv4 ? .tcp4 : .tcp6) && header.segmentSize == 1_000)
        #expect(joined.withUnsafeMutableBytes { header.completeChecksum(of: $0) })
        #expect(joined == frame)
        segments = []
    }

    @Test("Segments that are out of order, damaged or have another acknowledgment are not joined")
    func notJoined() {
        let first = FrameFactory.segment(.init(), sequence: 0, data: Array(repeating: 1, count: 100))
        var damaged = FrameFactory.segment(.init(), sequence: 100, data: Array(repeating: 2, count: 100))
        damaged[damaged.count - 1] ^= 1
        var flagged = FrameFactory.segment(
            .init(), flags: TCPLayout.Flag.acknowledgement | TCPLayout.Flag.fin, sequence: 100, data: [3])
        let later = FrameFactory.segment(.init(), sequence: 200, data: Array(repeating: 2, count: 100))
        for second in [damaged, flagged, later] {
            var (one, two, lengths) = (first, second, [Int]())
            one.withUnsafeMutableBytes { one in
                two.withUnsafeMutableBytes { two in
                    var joiner = SegmentJoiner()
                    let write: (OffloadHeader, iovec, [iovec]) -> Void = { _, first, rest in
                        lengths.append(rest.reduce(Int(first.iov_len)) { $0 + Int($1.iov_len) })
                    }
                    joiner.add(one, write: write)
                    joiner.add(two, write: write)
                    joiner.flush(write)
                }
            }
            #expect(lengths == [first.count, second.count], "in the order in which they came")
        }
        flagged = []
    }

    @Test("The announced segment size is lowered to fit the tunnel, and never raised", arguments: shapes)
    func clamp(shape: FrameFactory.Shape) throws {
        for (announced, expected) in [(1_460, 1_420 - (shape.isIPv4 ? 40 : 60)), (500, 500)] as [(UInt16, UInt16)] {
            // The option is at an odd offset.
            let option: [UInt8] = [1, 2, 4, UInt8(announced >> 8), UInt8(truncatingIfNeeded: announced), 1, 0, 0]
            var frame = FrameFactory.segment(
                .init(isIPv4: shape.isIPv4, isTagged: shape.isTagged, options: option), flags: TCPLayout.Flag.syn,
                data: [])
            frame.withUnsafeMutableBytes { SegmentSizeClamp.apply(to: $0, mtu: 1_420) }
            #expect(FrameFactory.isIntact(frame))
            let place = frame.count - 5
            #expect(UInt16(frame[place]) << 8 | UInt16(frame[place + 1]) == expected)
        }
    }

    @Test("Malformed frames are neither split nor changed nor read beyond their end")
    func fuzz() {
        var random = FuzzNumbers(of: "segments")
        for round in 0..<20_000 {
            let shape = Self.shapes[round % Self.shapes.count]
            var frame = FrameFactory.segment(
                shape, flags: UInt8.random(in: 0...255, using: &random), data: [1, 2, 3, 4, 5, 6, 7, 8])
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                frame[Int.random(in: 12..<frame.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if round % 3 == 0 { frame.removeLast(Int.random(in: 0..<frame.count - 14, using: &random)) }
            frame.withUnsafeMutableBytes { bytes in
                SegmentSizeClamp.apply(to: bytes, mtu: 600)
                guard let cutter = SegmentSplitter(UnsafeRawBufferPointer(bytes), segmentSize: 3, limit: 200) else {
                    return
                }
                for index in 0..<cutter.count {
                    withUnsafeTemporaryAllocation(byteCount: cutter.length(of: index), alignment: 8) {
                        cutter.write(index, to: $0)
                    }
                }
            }
        }
    }
}
