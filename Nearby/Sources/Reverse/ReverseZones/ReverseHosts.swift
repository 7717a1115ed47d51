// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension ReverseHost {
    /// Parses a hosts file: an address and a name on each line; further names, and comments after `#`, are ignored.
    ///
    /// - Parameter text: The contents of the file.
    /// - Returns: The hosts, in the order of the lines.
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``.
    public static func hosts(in text: String) throws(ReverseZoneError) -> [ReverseHost] {
        var hosts: [ReverseHost] = []
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0D, 0x0B, 0x0C].contains(byte) }
        let lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split(maxSplits: 2, whereSeparator: isBlank)
            guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
            guard let address = IPAddress(first) else {
                throw .malformedLine(index + 1, "\"\(first)\" is not an address")
            }
            guard words.count > 1, let name = try? DomainName(String(decoding: words[1], as: UTF8.self)) else {
                throw .malformedLine(index + 1, "it has no name after the address")
            }
            hosts.append(ReverseHost(address, name))
        }
        return hosts
    }

    /// Returns the hosts of a block in a forward zone: the owners of A and AAAA records with addresses in the block.
    ///
    /// Wildcard names are ignored, because no host has such a name.
    ///
    /// - Parameters:
    ///   - records: The records of the forward zone.
    ///   - block: The address block.
    /// - Returns: The hosts, in the order of the records.
    public static func hosts(in records: [ZoneRecord], of block: AddressBlock) -> [ReverseHost] {
        records.compactMap { record in
            guard case .address(let address) = record.value, block.contains(address),
                record.owner.labels.first != [UInt8(ascii: "*")]
            else { return nil }
            return ReverseHost(address, record.owner)
        }
    }
}
