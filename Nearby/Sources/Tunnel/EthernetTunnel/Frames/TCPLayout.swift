// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The offsets of the headers of a TCP segment in an Ethernet frame; created only if all headers are complete.
struct TCPLayout: Hashable {
    /// The TCP flags (RFC 9293 section 3.1).
    enum Flag {
        static let fin: UInt8 = 0x01
        static let syn: UInt8 = 0x02
        static let reset: UInt8 = 0x04
        static let push: UInt8 = 0x08
        static let acknowledgement: UInt8 = 0x10
        static let urgent: UInt8 = 0x20
        static let congestionWindowReduced: UInt8 = 0x80
    }

    /// The offset of the IP header: 14, plus 4 for each 802.1Q tag.
    let network: Int
    /// Whether the packet is IPv4; otherwise it is IPv6.
    let isIPv4: Bool
    /// The offset of the TCP header.
    let transport: Int
    /// The offset of the data.
    let payload: Int
    /// The end offset of the data, before the padding of a short frame.
    let end: Int

    /// Parses a frame; fails for anything except a complete TCP segment, such as fragments and IPv6 packets with
    /// extension headers.
    ///
    /// - Parameter frame: The frame from its destination address on, without its check sequence.
    init?(_ frame: UnsafeRawBufferPointer) {
        guard frame.count >= 14 + 40 else { return nil }
        var (type, network) = (frame.word(12), 14)
        while type == 0x8100 || type == 0x88A8, network < 22 {
            type = frame.word(network + 2)
            network += 4
        }
        guard frame.count >= network + 40 else { return nil }
        switch type {
        case 0x0800:
            let header = Int(frame[network] & 0x0F) * 4
            // The packet must not be a fragment: no more-fragments flag and no offset (RFC 791 section 3.1).
            guard frame[network] >> 4 == 4, header >= 20, frame[network + 9] == 6, frame.word(network + 6) & 0x3FFF == 0
            else { return nil }
            (isIPv4, transport, end) = (true, network + header, network + Int(frame.word(network + 2)))
        case 0x86DD:
            guard frame[network] >> 4 == 6, frame[network + 6] == 6 else { return nil }
            (isIPv4, transport, end) = (false, network + 40, network + 40 + Int(frame.word(network + 4)))
        default: return nil
        }
        guard transport + 20 <= end, end <= frame.count else { return nil }
        self.network = network
        payload = transport + Int(frame[transport + 12] >> 4) * 4
        guard payload >= transport + 20, payload <= end else { return nil }
    }

    /// Returns the sum of the pseudo-header (RFC 9293 section 3.1) for a segment of the given length.
    func pseudoHeader(of frame: UnsafeRawBufferPointer, length: Int) -> InternetChecksum {
        var sum = InternetChecksum()
        sum.add(frame.part(isIPv4 ? network + 12..<network + 20 : network + 8..<network + 40))
        sum.add(6)
        sum.add(length)
        return sum
    }

    /// Returns whether the checksum of the segment is valid.
    func isIntact(_ frame: UnsafeRawBufferPointer) -> Bool {
        var sum = pseudoHeader(of: frame, length: end - transport)
        sum.add(frame.part(transport..<end))
        return sum.folded == 0xFFFF
    }

    /// Updates the lengths and the IP header checksum for a packet that ends at another offset.
    func setEnd(_ end: Int, of frame: UnsafeMutableRawBufferPointer) {
        guard isIPv4 else {
            frame.setWord(network + 4, UInt16(truncatingIfNeeded: end - network - 40))
            return
        }
        frame.setWord(network + 2, UInt16(truncatingIfNeeded: end - network))
        frame.setWord(network + 10, 0)
        var sum = InternetChecksum()
        sum.add(UnsafeRawBufferPointer(frame).part(network..<transport))
        frame.storeBytes(of: sum.checksum, toByteOffset: network + 10, as: UInt16.self)
    }
}
