// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import ReverseZones

/// The problems of the aliases in the parent zone.
struct AliasFindings {
    private(set) var findings: [ReverseFinding] = []
    /// The addresses without an alias in the parent zone, or with a wrong one.
    private(set) var misdirectedAddresses: Set<IPAddress> = []

    init(of block: AddressBlock, _ names: [ReverseName]) {
        for name in names {
            if name.path.isLoop {
                add(name, .aliasLoop(name.path.targets))
            } else if name.path.targets.count > 1 {
                add(name, .aliasChain(name.path.targets))
            }
        }
        // A larger block may consist of several delegations, and a block without aliases uses another style of
        // delegation.
        guard block.first.isIPv4, block.prefixLength > 24, let zone = Self.dominantZone(names) else { return }
        let aliases = names.filter { $0.hasOwnAlias }
        let hasUsualLabels = 2 * aliases.count { Self.expected($0, zone) == $0.path.targets.first } > aliases.count
        for name in names {
            let target = name.path.targets.first
            if let target, name.hasOwnAlias {
                let expected = Self.expected(name, zone)
                let isWrong = hasUsualLabels ? target != expected : target.parent != zone
                if isWrong {
                    add(name, .wrongAlias(target, expected: expected))
                    misdirectedAddresses.insert(name.address)
                }
            } else if target == nil {
                switch name.answer.outcome {
                case .found: add(name, .pointerInParent)
                case .noName, .noRecords:
                    add(name, .noAlias)
                    misdirectedAddresses.insert(name.address)
                case .failed, .unknown: break
                }
            }
        }
    }

    private mutating func add(_ name: ReverseName, _ kind: ReverseFinding.Kind) {
        findings.append(ReverseFinding(.address(name.address), kind))
    }

    /// Returns the zone that most aliases point to.
    static func dominantZone(_ names: [ReverseName]) -> DomainName? {
        let zones = names.filter(\.hasOwnAlias).compactMap { $0.path.targets.first?.parent }
        let counts = Dictionary(zones.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }?.key
    }

    private static func expected(_ name: ReverseName, _ zone: DomainName) -> DomainName {
        (try? zone.adding(String(name.address.bytes.last ?? 0))) ?? zone
    }
}
