// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSNames

extension AddressBlock {
    /// The reverse names that all names of the block are below: one, or one for each part of the block that ends at a label.
    package var namesAtLabels: [DomainName] { partsAtLabels.map(\.name) }

    /// How many addresses there are; at most `Int.max`.
    package var addressCount: Int {
        let bits = first.bytes.count * 8 - prefixLength
        return bits < 62 ? 1 << bits : .max
    }

    /// All addresses of a block of IPv4.
    package var addresses: [IPAddress] {
        guard first.isIPv4 else { return [] }
        let start = first.bytes.reduce(0) { $0 << 8 | Int($1) }
        return (start..<start + addressCount).compactMap { number in
            IPAddress(bytes: [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) })
        }
    }

    /// The names that zones of aliases for a block of IPv4 within a /24 usually have: `64/27`, `64-27` and `64-95`.
    package var usualZones: [DomainName] {
        [DelegationStyle.slash, .hyphen, .range].compactMap { style in
            try? ReverseDelegation(of: self, style: style, nameServers: [.root]).zones.first
        }
    }

    /// The other blocks of IPv4 within the same /24, but not all of it, that have addresses of this one.
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
