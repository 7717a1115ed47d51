// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSNames

extension AddressBlock {
    /// The reverse names that cover the block: one, or one for each part of the block at a label boundary.
    package var namesAtLabels: [DomainName] { partsAtLabels.map(\.name) }

    /// The possible zone names of a block that is not within a /24, including those of its /24 blocks unless there are
    /// too many.
    package var zoneCandidates: [DomainName] {
        guard first.isIPv4, (12...23).contains(prefixLength) else { return namesAtLabels }
        let blocks = stride(from: 0, to: addressCount, by: 256).map { address($0).reverseName }
        return namesAtLabels + blocks.compactMap { try? DomainName(labels: Array($0.labels.dropFirst())) }
    }

    /// The number of addresses, at most `Int.max`.
    package var addressCount: Int {
        let bits = first.bytes.count * 8 - prefixLength
        return bits < 62 ? 1 << bits : .max
    }

    /// All addresses of an IPv4 block.
    package var addresses: [IPAddress] {
        guard first.isIPv4 else { return [] }
        return (0..<addressCount).map(address)
    }

    /// Returns the address at an index in an IPv4 block.
    private func address(_ number: Int) -> IPAddress {
        let value = first.bytes.reduce(0) { $0 << 8 | Int($1) } + number
        return IPAddress(bytes: [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }) ?? first
    }

    /// The usual names of alias zones for an IPv4 block within a /24: `64/27`, `64-27` and `64-95`.
    package var usualZones: [DomainName] {
        [DelegationStyle.slash, .hyphen, .range].compactMap { style in
            try? ReverseDelegation(of: self, style: style, nameServers: [.root]).zones.first
        }
    }

    /// The other IPv4 blocks that overlap this block and are proper parts of its /24.
    package var overlappingBlocks: [AddressBlock] {
        guard first.isIPv4, prefixLength > 24 else { return [] }
        let last = Int(first.bytes[3])
        return (25...32).flatMap { length -> [AddressBlock] in
            let size = 1 << (32 - length)
            let starts = stride(from: last / size * size, to: max(last + addressCount, last + 1), by: size)
            return starts.compactMap { start in
                let block = try? AddressBlock(
                    "\(first.bytes[0]).\(first.bytes[1]).\(first.bytes[2]).\(start)/\(length)")
                return block == self ? nil : block
            }
        }
    }
}
