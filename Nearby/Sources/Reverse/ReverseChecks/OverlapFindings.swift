// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones

/// The parent's other delegations that overlap a block, found by the usual names of such zones.
///
/// An overlap is correct if addresses outside the block, and none of the block's addresses, have aliases into the zone.
struct OverlapFindings {
    private(set) var findings: [ReverseFinding] = []

    init(of block: AddressBlock, _ names: [ReverseName], in source: any RecordSource) async throws {
        guard let zone = AliasFindings.dominantZone(names), block.prefixLength > 24 else { return }
        var seen: Set<DomainName> = [zone]
        let candidates = block.overlappingBlocks.flatMap { other in
            other.usualZones.filter { seen.insert($0).inserted }.map { (other, $0) }
        }
        let found = try await concurrentMap(candidates) { other, zone in
            try await source.zone(of: zone) == zone ? (other, zone) : nil
        }.compactMap(\.self)
        let used = Set(names.compactMap { $0.path.targets.first?.parent })
        for (other, zone) in found {
            let outside = other.addresses.filter { !block.contains($0) }
            let users = try await concurrentMap(outside) { address in
                let name = address.reverseName
                let records = try await source.answer(to: DNSQuestion(name, .ptr)).records
                return AliasPath(from: name, records).targets.first?.parent == zone
            }
            if used.contains(zone) || !users.contains(true) {
                findings.append(ReverseFinding(.zone(zone), .overlap(zone)))
            }
        }
    }
}
