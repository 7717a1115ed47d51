// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import EthernetTunnel

/// Creates Ethernet frames with TCP segments.
enum FrameFactory {
    struct Shape: Hashable, Sendable {
        var isIPv4 = true
        var isTagged = false
        var options: [UInt8] = []
    }

    /// Returns a frame with correct lengths and checksums.
    static func segment(
        _ shape: Shape, flags: UInt8 = TCPLayout.Flag.acknowledgement, sequence: UInt32 = 1_000, data: [UInt8]
    ) -> [UInt8] {
        var frame: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
        if shape.isTagged { frame += [0x81, 0, 0, 42] }
        frame += shape.isIPv4 ? [0x08, 0] : [0x86, 0xDD]
        let length = 20 + shape.options.count + data.count
        if shape.isIPv4 {
            frame += [0x45, 0] + bytes(UInt16(20 + length)) + [0, 7, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
        } else {
            frame += [0x60, 0, 0, 0] + bytes(UInt16(length)) + [6, 64]
            for last in [UInt8(1), 2] { frame += [0xFD] + Array(repeating: 0, count: 14) + [last] }
        }
        frame += [0x30, 0x39, 0, 80] + bytes(UInt16(sequence >> 16)) + bytes(UInt16(truncatingIfNeeded: sequence))
        frame += [0, 0, 0, 9, UInt8(5 + shape.options.count / 4) << 4, flags, 1, 0, 0, 0, 0, 0] + shape.options + data
        frame.withUnsafeMutableBytes { complete($0) }
        return frame
    }

    private static func complete(_ frame: UnsafeMutableRawBufferPointer) {
        guard let layout = TCPLayout(UnsafeRawBufferPointer(frame)) else { return }
        layout.setEnd(layout.end, of: frame)
        let bytes = UnsafeRawBufferPointer(frame)
        var sum = layout.pseudoHeader(of: bytes, length: layout.end - layout.transport)
        sum.add(bytes.part(layout.transport..<layout.end))
        frame.storeBytes(of: sum.checksum, toByteOffset: layout.transport + 16, as: UInt16.self)
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }

    /// Returns whether the IP and TCP checksums are correct.
    static func isIntact(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { bytes in
            guard let layout = TCPLayout(bytes), layout.isIntact(bytes) else { return false }
            var sum = InternetChecksum()
            if layout.isIPv4 { sum.add(bytes.part(layout.network..<layout.transport)) }
            return !layout.isIPv4 || sum.folded == 0xFFFF
        }
    }
}
