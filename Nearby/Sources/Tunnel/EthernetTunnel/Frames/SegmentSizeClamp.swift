// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Lowers the maximum segment size option of TCP connections (RFC 9293 section 3.7.1), so that their segments fit the
/// tunnel, although the hosts' own links have a larger MTU.
enum SegmentSizeClamp {
    /// Changes the option in a frame that opens a TCP connection; any other frame is unchanged.
    ///
    /// - Parameters:
    ///   - frame: A frame with a complete checksum.
    ///   - mtu: The maximum IP packet that the tunnel can send unfragmented, in bytes.
    static func apply(to frame: UnsafeMutableRawBufferPointer, mtu: Int) {
        let bytes = UnsafeRawBufferPointer(frame)
        guard let layout = TCPLayout(bytes), bytes[layout.transport + 13] & TCPLayout.Flag.syn != 0 else { return }
        let greatest = mtu - (layout.isIPv4 ? 40 : 60)
        guard greatest > 0, let greatest = UInt16(exactly: greatest),
            let option = segmentSize(in: bytes, layout.transport + 20..<layout.payload), bytes.word(option) > greatest
        else { return }
        let old = bytes.loadUnaligned(fromByteOffset: option, as: UInt16.self)
        let checksum = bytes.loadUnaligned(fromByteOffset: layout.transport + 16, as: UInt16.self)
        frame.setWord(option, greatest)
        // An option at an odd offset spans two words of the sum, so its bytes are swapped.
        let isOdd = (option - layout.transport) % 2 != 0
        let new = greatest.bigEndian
        let updated = InternetChecksum.update(
            checksum, from: isOdd ? old.byteSwapped : old, to: isOdd ? new.byteSwapped : new)
        frame.storeBytes(of: updated, toByteOffset: layout.transport + 16, as: UInt16.self)
    }

    /// Returns the offset of the option's value.
    private static func segmentSize(in bytes: UnsafeRawBufferPointer, _ options: Range<Int>) -> Int? {
        var position = options.lowerBound
        while position < options.upperBound {
            switch bytes[position] {
            case 0: return nil
            case 1: position += 1
            case let kind:
                guard position + 1 < options.upperBound else { return nil }
                let length = Int(bytes[position + 1])
                guard length >= 2, position + length <= options.upperBound else { return nil }
                if kind == 2, length == 4 { return position + 2 }
                position += length
            }
        }
        return nil
    }
}
