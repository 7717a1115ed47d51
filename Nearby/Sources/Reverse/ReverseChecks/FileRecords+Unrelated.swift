// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
public import DNSNames
public import ReverseZones

extension FileRecords {
    /// Returns the zones of files that are unrelated to the given blocks.
    ///
    /// A zone is related to a block if it contains a reverse name of the block, is below such a name, or is the target
    /// of the block's aliases. A forward zone is related if it contains an address of a block, or a host that a PTR
    /// record of a related zone names.
    ///
    /// - Parameters:
    ///   - sides: The files of the parent zones and of the zones with PTR records.
    ///   - forward: The files of forward zones.
    ///   - blocks: The blocks.
    /// - Returns: The names of the unrelated zones, in the order of the files.
    public static func unrelatedZones(
        of sides: [ZoneDocument], _ forward: [ZoneDocument], to blocks: [AddressBlock]
    ) -> [DomainName] {
        let names = Set(blocks.flatMap { $0.namesAtLabels + $0.usualZones })
        var reached = names
        var (related, others) = ([ZoneDocument](), sides)
        while let index = others.firstIndex(where: { $0.isRelated(to: reached) }) {
            let document = others.remove(at: index)
            related.append(document)
            reached.formUnion(document.targets(ofNamesWithin: reached))
        }
        let hosts = Set(
            related.flatMap(\.records).compactMap { record in
                if case .pointer(let host) = record.value { host } else { nil }
            })
        let strangers = forward.filter { document in
            !document.isRelated(to: hosts)
                && !document.records.contains { record in
                    guard case .address(let address) = record.value else { return false }
                    return blocks.contains { $0.contains(address) }
                }
        }
        return (others + strangers).map(\.origin)
    }
}

extension ZoneDocument {
    /// Returns whether one of the names is in the zone, or the zone is below one of them.
    fileprivate func isRelated(to names: Set<DomainName>) -> Bool {
        names.contains { $0.isWithin(origin) } || origin.ancestors.contains(where: names.contains)
    }

    /// Returns the targets of aliases at the names and below them.
    fileprivate func targets(ofNamesWithin names: Set<DomainName>) -> [DomainName] {
        records.compactMap { record in
            switch record.value {
            case .alias(let target) where record.owner.ancestors.contains(where: names.contains): target
            case .subtreeAlias(let target)
            where record.owner.ancestors.contains(where: names.contains) || names.contains { $0.isWithin(record.owner) }:
                target
            default: nil
            }
        }
    }
}
