// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones

/// Resolves an address with the files of both sides, as a resolver does.
struct Resolution {
    private let parent: [ZoneRecord]
    private let zones: [DomainName: [ZoneRecord]]

    /// Parses the files from their texts.
    init(parent: ZoneFile, zones: [ZoneFile]) throws {
        self.parent = try ZoneFileReader.records(in: parent.text, origin: .root)
        self.zones = try Dictionary(
            uniqueKeysWithValues: zones.map { ($0.origin, try ZoneFileReader.records(in: $0.text, origin: .root)) })
    }

    /// Returns the host names of an address.
    func pointers(of address: IPAddress) throws -> [DomainName] { try pointers(at: address.reverseName, 0) }

    private func pointers(at name: DomainName, _ depth: Int) throws -> [DomainName] {
        guard depth < 4 else { return [] }
        if let zone = zones.keys.filter({ name.isWithin($0) }).max(by: { $0.labels.count < $1.labels.count }) {
            // A zone outside the parent's must be delegated by it, or be outside the reverse domain.
            let isDelegated = parent.contains { $0.owner == zone && isNameServer($0) } || !zone.isWithin(arpa)
            return isDelegated ? zones[zone, default: []].compactMap { pointer($0, at: name) } : []
        }
        for record in parent {
            switch record.value {
            case .alias(let target) where record.owner == name: return try pointers(at: target, depth + 1)
            case .subtreeAlias(let target) where name.isWithin(record.owner) && name != record.owner:
                let own = name.labels.dropLast(record.owner.labels.count)
                return try pointers(at: DomainName(labels: own + target.labels), depth + 1)
            default: break
            }
        }
        return []
    }

    private var arpa: DomainName { (try? DomainName("arpa")) ?? .root }

    private func isNameServer(_ record: ZoneRecord) -> Bool {
        if case .nameServer = record.value { true } else { false }
    }

    private func pointer(_ record: ZoneRecord, at name: DomainName) -> DomainName? {
        guard record.owner == name, case .pointer(let target) = record.value else { return nil }
        return target
    }
}
