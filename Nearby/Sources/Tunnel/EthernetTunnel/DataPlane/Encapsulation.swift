// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The encapsulation of EtherIP within WireGuard.
///
/// The receiver accepts both encapsulations from every peer.
enum Encapsulation: Hashable, Sendable {
    /// The EtherIP header and the frame, without an IP header. The first four bits are 3, unlike those
    /// of an IP packet.
    case direct
    /// IP packets of protocol 97 between two addresses, which other WireGuard implementations accept.
    case ip(InnerAddresses)

    /// The number of bytes that precede a frame.
    var overhead: Int {
        switch self {
        case .direct: EtherIP.headerSize
        case .ip(let addresses): addresses.headerSize(isFragment: false) + EtherIP.headerSize
        }
    }

    /// Writes the header that precedes a frame.
    func writeHeader(to target: UnsafeMutableRawBufferPointer, frame length: Int) {
        switch self {
        case .direct: EtherIP.writeHeader(to: target)
        case .ip(let addresses):
            addresses.writeHeader(to: target, length: EtherIP.headerSize + length, fragment: nil)
            EtherIP.writeHeader(to: target.part(overhead - EtherIP.headerSize..<overhead))
        }
    }

    /// The addresses of IP fragments, which both encapsulations use.
    var fragmentAddresses: InnerAddresses {
        switch self {
        case .direct: .dummy
        case .ip(let addresses): addresses
        }
    }

    /// Splits a frame into IP fragments, each in one payload.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - limit: The maximum payload in bytes.
    ///   - identification: The identification field that distinguishes the packet from others.
    /// - Returns: The payloads, in order.
    func fragments(of frame: UnsafeRawBufferPointer, limit: Int, identification: UInt32) -> [[UInt8]] {
        let addresses = fragmentAddresses
        let header = addresses.headerSize(isFragment: true)
        let size = (limit - header) & ~7
        guard size > 0 else { return [] }
        var packet: [UInt8] = Array(repeating: 0, count: EtherIP.headerSize)
        packet.withUnsafeMutableBytes { EtherIP.writeHeader(to: $0) }
        packet += frame
        return stride(from: 0, to: packet.count, by: size).map { offset in
            let end = min(offset + size, packet.count)
            var payload: [UInt8] = Array(repeating: 0, count: header)
            payload.withUnsafeMutableBytes {
                addresses.writeHeader(
                    to: $0, length: end - offset, fragment: (identification, offset, end == packet.count))
            }
            return payload + packet[offset..<end]
        }
    }
}
