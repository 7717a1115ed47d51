// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How EtherIP is sent within WireGuard.
///
/// Both ways are understood from every peer.
enum Encapsulation: Hashable, Sendable {
    /// The header of EtherIP and the frame, without an IP header. Its first four bits are 3, so that it is told from IP.
    case direct
    /// In IP packets of protocol 97 between two addresses, which peers of other makers take.
    case ip(InnerAddresses)

    /// The bytes before a frame.
    var overhead: Int {
        switch self {
        case .direct: EtherIP.headerSize
        case .ip(let addresses): addresses.headerSize(isFragment: false) + EtherIP.headerSize
        }
    }

    /// Writes what is before a frame.
    func writeHeader(to target: UnsafeMutableRawBufferPointer, frame length: Int) {
        switch self {
        case .direct: EtherIP.writeHeader(to: target)
        case .ip(let addresses):
            addresses.writeHeader(to: target, length: EtherIP.headerSize + length, fragment: nil)
            EtherIP.writeHeader(to: target.part(overhead - EtherIP.headerSize..<overhead))
        }
    }

    /// The addresses of fragments, which are of IP in either way.
    var fragmentAddresses: InnerAddresses {
        switch self {
        case .direct: .dummy
        case .ip(let addresses): addresses
        }
    }

    /// Divides a frame into fragments of an IP packet, each a payload.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - limit: The greatest payload in bytes.
    ///   - identification: Tells the packet from others.
    /// - Returns: The payloads, first part first.
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
