// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WireGuardProtocol

/// Reassembles the fragments of IP packets within the tunnel (RFC 791 section 3.2, RFC 8200 section 4.5).
///
/// The memory is bounded: if it is full, the oldest packet is discarded. Overlapping fragments discard their packet
/// (RFC 5722).
struct Reassembly {
    /// The protocol number of the IPv6 fragment header.
    static let fragmentHeader: UInt8 = 44
    private static let maximumPayload = 65_535
    private static let maximumPacketCount = 32
    private static let lifetime = Duration.seconds(15)

    fileprivate struct Packet {
        let identification: UInt32
        let started: Instant
        var bytes: [UInt8] = []
        /// The received ranges, in order and without overlap.
        var parts: [Range<Int>] = []
        var length: Int?
    }

    private var packets: [Packet] = []

    /// Adds a fragment.
    ///
    /// - Returns: The payload of the packet, if the fragment completes it.
    mutating func add(
        _ fragment: InnerPacket.Fragment, _ bytes: UnsafeRawBufferPointer, now: Instant
    ) -> [UInt8]? {
        packets.removeAll { now - $0.started > Self.lifetime }
        let range = fragment.offset..<fragment.offset + bytes.count
        guard !range.isEmpty, range.upperBound <= Self.maximumPayload, fragment.isLast || bytes.count % 8 == 0 else {
            return nil
        }
        let index = index(of: fragment.identification, now: now)
        guard packets[index].insert(range, isLast: fragment.isLast) else {
            packets.remove(at: index)
            return nil
        }
        packets[index].copy(bytes, to: range)
        guard let length = packets[index].length, packets[index].parts == [0..<length] else { return nil }
        return packets.remove(at: index).bytes
    }

    private mutating func index(of identification: UInt32, now: Instant) -> Int {
        if let known = packets.firstIndex(where: { $0.identification == identification }) { return known }
        if packets.count == Self.maximumPacketCount { packets.removeFirst() }
        packets.append(Packet(identification: identification, started: now))
        return packets.count - 1
    }
}

extension Reassembly.Packet {
    /// Adds a range, and merges adjacent ranges.
    ///
    /// - Returns: Whether the range neither overlaps another range nor contradicts the length.
    fileprivate mutating func insert(_ range: Range<Int>, isLast: Bool) -> Bool {
        if isLast {
            guard length == nil, parts.last.map({ $0.upperBound <= range.upperBound }) ?? true else { return false }
            length = range.upperBound
        } else if let length, range.upperBound > length {
            return false
        }
        let place = parts.firstIndex { $0.lowerBound >= range.lowerBound } ?? parts.count
        guard !parts.contains(where: { $0.overlaps(range) }) else { return false }
        parts.insert(range, at: place)
        if place + 1 < parts.count, parts[place].upperBound == parts[place + 1].lowerBound {
            parts[place] = parts[place].lowerBound..<parts.remove(at: place + 1).upperBound
        }
        if place > 0, parts[place - 1].upperBound == parts[place].lowerBound {
            parts[place - 1] = parts[place - 1].lowerBound..<parts.remove(at: place).upperBound
        }
        return true
    }

    fileprivate mutating func copy(_ source: UnsafeRawBufferPointer, to range: Range<Int>) {
        if bytes.count < range.upperBound { bytes += repeatElement(0, count: range.upperBound - bytes.count) }
        bytes.withUnsafeMutableBytes { $0.part(range).copyMemory(from: source) }
    }
}
