// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension ReverseHost {
    /// The hosts of a hosts file: an address and a name in each line, and more names that are passed over.
    ///
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``.
    public static func hosts(in text: String) throws(ReverseZoneError) -> [ReverseHost] {
        var hosts: [ReverseHost] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let first = words.first else { continue }
            guard let address = IPAddress(String(first)) else {
                throw .malformedLine(index + 1, "\"\(first)\" is no address")
            }
            guard words.count > 1, let name = try? DomainName(String(words[1])) else {
                throw .malformedLine(index + 1, "it has no name after the address")
            }
            hosts.append(ReverseHost(address, name))
        }
        return hosts
    }

    /// The hosts of a block in a forward zone: the owners of its A and AAAA records.
    ///
    /// Names with a wildcard are left out, because no host has one.
    public static func hosts(in records: [ZoneRecord], of block: AddressBlock) -> [ReverseHost] {
        records.compactMap { record in
            guard case .address(let address) = record.value, block.contains(address),
                record.owner.labels.first != [UInt8(ascii: "*")]
            else { return nil }
            return ReverseHost(address, record.owner)
        }
    }
}
