// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Splits a frame with a large TCP segment into frames with one small segment each, as a network card does.
struct SegmentSplitter {
    private let frame: UnsafeRawBufferPointer
    private let layout: TCPLayout
    /// The size of the data in each segment except the last.
    private let size: Int
    /// The number of frames.
    let count: Int

    /// Prepares the split; fails if the frame is not a TCP segment that can be split, or the limit leaves no space for
    /// data.
    ///
    /// - Parameters:
    ///   - frame: A frame with correct lengths and a possibly partial checksum, which must remain unchanged while
    ///     segments are written.
    ///   - segmentSize: The size of the data in each segment.
    ///   - limit: The maximum frame size in bytes.
    init?(_ frame: UnsafeRawBufferPointer, segmentSize: Int, limit: Int) {
        guard let layout = TCPLayout(frame), segmentSize > 0, limit > layout.payload else { return nil }
        let flags = frame[layout.transport + 13]
        guard flags & (TCPLayout.Flag.syn | TCPLayout.Flag.reset | TCPLayout.Flag.urgent) == 0 else { return nil }
        size = min(segmentSize, limit - layout.payload)
        count = max(1, (layout.end - layout.payload + size - 1) / size)
        (self.frame, self.layout) = (frame, layout)
    }

    /// Returns the length of a frame.
    func length(of index: Int) -> Int { layout.payload + data(of: index).count }

    private func data(of index: Int) -> Range<Int> {
        let start = layout.payload + index * size
        return start..<min(start + size, layout.end)
    }

    /// Writes one of the frames.
    ///
    /// - Parameters:
    ///   - index: The index of the frame, below ``count``.
    ///   - target: A buffer of the frame's length.
    func write(_ index: Int, to target: UnsafeMutableRawBufferPointer) {
        let data = data(of: index)
        let end = layout.payload + data.count
        target.copyMemory(from: frame.part(0..<layout.payload))
        target.part(layout.payload..<end).copyMemory(from: frame.part(data))
        if layout.isIPv4 {
            target.setWord(layout.network + 4, frame.word(layout.network + 4) &+ UInt16(truncatingIfNeeded: index))
        }
        layout.setEnd(end, of: target)
        target.setLongWord(
            layout.transport + 4, frame.longWord(layout.transport + 4) &+ UInt32(truncatingIfNeeded: index * size))
        var flags = frame[layout.transport + 13]
        if index < count - 1 { flags &= ~(TCPLayout.Flag.fin | TCPLayout.Flag.push) }
        // The sender signals only once that it has reduced its window (RFC 3168 section 6.1.2).
        if index > 0 { flags &= ~TCPLayout.Flag.congestionWindowReduced }
        target[layout.transport + 13] = flags
        writeChecksum(to: target, end: end)
    }

    private func writeChecksum(to target: UnsafeMutableRawBufferPointer, end: Int) {
        target.setWord(layout.transport + 16, 0)
        let bytes = UnsafeRawBufferPointer(target)
        var sum = layout.pseudoHeader(of: bytes, length: end - layout.transport)
        sum.add(bytes.part(layout.transport..<end))
        target.storeBytes(of: sum.checksum, toByteOffset: layout.transport + 16, as: UInt16.self)
    }
}
