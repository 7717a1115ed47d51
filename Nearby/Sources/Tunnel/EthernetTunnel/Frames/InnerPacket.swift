// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An IP packet or fragment within the tunnel that carries EtherIP.
struct InnerPacket: Hashable {
    /// The position of a fragment in its packet.
    struct Fragment: Hashable {
        let identification: UInt32
        /// The offset in the packet's payload, in bytes.
        let offset: Int
        let isLast: Bool
    }

    /// The byte range of the payload.
    let payload: Range<Int>
    /// The fragment; `nil` for a complete packet.
    let fragment: Fragment?

    /// Parses the headers; IPv4 options are skipped, and IPv6 extension headers other than the fragment header are
    /// unsupported.
    ///
    /// - Parameters:
    ///   - packet: The packet, which padding may follow.
    ///   - source: The required source address, four or sixteen bytes; `nil` for any.
    init?(_ packet: UnsafeRawBufferPointer, from source: [UInt8]? = nil) {
        guard let version = packet.first.map({ $0 >> 4 }) else { return nil }
        switch version {
        case 4: self.init(ipv4: packet, source)
        case 6: self.init(ipv6: packet, source)
        default: return nil
        }
    }

    private init?(ipv4 packet: UnsafeRawBufferPointer, _ source: [UInt8]?) {
        guard packet.count >= 20, packet[9] == EtherIP.ipProtocol else { return nil }
        let (header, end) = (Int(packet[0] & 0x0F) * 4, Int(packet.word(2)))
        guard header >= 20, end > header, end <= packet.count, source.map({ packet[12..<16].elementsEqual($0) }) ?? true
        else { return nil }
        payload = header..<end
        let word = packet.word(6)
        let (offset, hasMore) = (Int(word & 0x1FFF) * 8, word & 0x2000 != 0)
        fragment =
            offset > 0 || hasMore
            ? Fragment(identification: UInt32(packet.word(4)), offset: offset, isLast: !hasMore) : nil
    }

    private init?(ipv6 packet: UnsafeRawBufferPointer, _ source: [UInt8]?) {
        guard packet.count > 48 else { return nil }
        let end = 40 + Int(packet.word(4))
        guard end <= packet.count, source.map({ packet[8..<24].elementsEqual($0) }) ?? true else { return nil }
        switch packet[6] {
        case EtherIP.ipProtocol:
            guard end > 40 else { return nil }
            (payload, fragment) = (40..<end, nil)
        case Reassembly.fragmentHeader:
            guard end > 48, packet[40] == EtherIP.ipProtocol else { return nil }
            payload = 48..<end
            let word = packet.word(42)
            fragment = Fragment(
                identification: packet.longWord(44), offset: Int(word & 0xFFF8), isLast: word & 1 == 0)
        default: return nil
        }
    }
}
