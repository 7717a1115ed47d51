// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The addresses of the IP packets within the tunnel that carry EtherIP (RFC 3378 section 3).
struct InnerAddresses: Hashable, Sendable {
    /// The address of this side; like the remote address, it has four or sixteen bytes, in network byte order.
    let local: [UInt8]
    let remote: [UInt8]

    /// - Returns: `nil` if the addresses have different IP versions.
    init?(local: [UInt8], remote: [UInt8]) {
        guard local.count == remote.count, local.count == 4 || local.count == 16 else { return nil }
        (self.local, self.remote) = (local, remote)
    }

    /// The IPv4 dummy address (RFC 7600 section 4.8), for peers that ignore the addresses.
    static let dummy = InnerAddresses([192, 0, 0, 8])

    private init(_ both: [UInt8]) { (local, remote) = (both, both) }

    var isIPv4: Bool { local.count == 4 }

    /// Returns the size of the headers before the payload of a packet or fragment.
    func headerSize(isFragment: Bool) -> Int { isIPv4 ? 20 : isFragment ? 48 : 40 }

    /// Writes the headers of a packet or fragment.
    ///
    /// - Parameters:
    ///   - target: The buffer for the headers, which the payload follows.
    ///   - length: The size of the payload in bytes.
    ///   - fragment: The fragment to write; `nil` for a complete packet.
    func writeHeader(
        to target: UnsafeMutableRawBufferPointer, length: Int,
        fragment: (identification: UInt32, offset: Int, isLast: Bool)?
    ) {
        let size = headerSize(isFragment: fragment != nil)
        target.part(0..<size).initializeMemory(as: UInt8.self, repeating: 0)
        guard isIPv4 else { return writeIPv6Header(to: target, length: length, fragment: fragment) }
        target[0] = 0x45
        target.setWord(2, UInt16(truncatingIfNeeded: size + length))
        if let fragment {
            target.setWord(4, UInt16(truncatingIfNeeded: fragment.identification))
            target.setWord(6, UInt16(truncatingIfNeeded: fragment.offset / 8) | (fragment.isLast ? 0 : 0x2000))
        }
        target[8] = 64
        target[9] = EtherIP.ipProtocol
        target.part(12..<16).copyBytes(from: local)
        target.part(16..<20).copyBytes(from: remote)
        var sum = InternetChecksum()
        sum.add(UnsafeRawBufferPointer(target).part(0..<size))
        target.storeBytes(of: sum.checksum, toByteOffset: 10, as: UInt16.self)
    }

    private func writeIPv6Header(
        to target: UnsafeMutableRawBufferPointer, length: Int,
        fragment: (identification: UInt32, offset: Int, isLast: Bool)?
    ) {
        target[0] = 0x60
        target.setWord(4, UInt16(truncatingIfNeeded: length + (fragment == nil ? 0 : 8)))
        target[6] = fragment == nil ? EtherIP.ipProtocol : Reassembly.fragmentHeader
        target[7] = 64
        target.part(8..<24).copyBytes(from: local)
        target.part(24..<40).copyBytes(from: remote)
        guard let fragment else { return }
        target[40] = EtherIP.ipProtocol
        target.setWord(42, UInt16(truncatingIfNeeded: fragment.offset) | (fragment.isLast ? 0 : 1))
        target.setLongWord(44, fragment.identification)
    }
}
