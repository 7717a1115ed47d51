// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
import DNSNames
public import ReverseZones

/// A check of the reverse DNS of an address block.
///
/// The check queries the PTR record of each address, the addresses of the host names found, and the servers of each
/// zone involved, as specified by the parent zone and the zone itself.
public struct ReverseCheck: Sendable {
    /// The maximum number of IPv4 addresses to query one by one; in a larger block, the check searches for existing
    /// names.
    public static let addressLimit = 1 << 20

    private let block: AddressBlock
    private let source: any RecordSource
    private let hosts: [ReverseHost]
    private let today: ZoneSerial

    /// Creates a check of a block.
    ///
    /// - Parameters:
    ///   - block: The block as it was delegated: the aliases of a block within a /24 should all point into one zone.
    ///   - source: The source of the DNS records.
    ///   - hosts: Known hosts whose addresses must have PTR records; hosts outside the block are ignored. None by
    ///     default.
    ///   - today: The first serial of the current day, to detect serials in the future.
    public init(of block: AddressBlock, in source: any RecordSource, hosts: [ReverseHost] = [], today: ZoneSerial) {
        (self.block, self.source, self.today) = (block, source, today)
        self.hosts = hosts.filter { block.contains($0.address) }
    }

    /// Checks the block.
    ///
    /// - Parameter progress: Called with the number of processed addresses and the total number of addresses.
    /// - Returns: The findings of zones, followed by those of addresses in address order; empty if there are no
    ///   problems.
    /// - Throws: `ReverseZoneError.missingZone(_:)` if the source has no zone of the block, `CancellationError`, and
    ///   the errors of the source.
    public func findings(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) async throws -> [ReverseFinding] {
        let source = source
        let lameZones = try await lameZones()
        let all = try await addresses(lameZones)
        let addresses =
            lameZones.isEmpty ? all : all.filter { !$0.reverseName.ancestors.contains(where: lameZones.contains) }
        let names = try await concurrentMap(addresses, progress: { progress($0, addresses.count) }) { address in
            try await ReverseName(of: address, in: source)
        }
        // If none of the names is in a file, there is nothing to check.
        if !names.isEmpty, names.allSatisfy({ $0.answer.outcome == .unknown && $0.path.targets.isEmpty }) {
            throw ReverseZoneError.missingZone(block.description)
        }
        let delegations = try await DelegationFindings(
            of: block, names, and: lameZones, in: source, today: today)
        let aliases = AliasFindings(of: block, names)
        let overlaps = try await OverlapFindings(of: block, names, in: source).findings
        // A consequence of a problem in the parent zone is not reported separately.
        let explained = Set(
            names.filter { name in
                delegations.hasNothing || aliases.misdirectedAddresses.contains(name.address)
                    || name.path.targets.last.map { delegations.missingZones.contains($0.parent) } == true
            }.map { ReverseFinding.Subject.address($0.address) })
        let others = names.flatMap { $0.findings(lameZones: delegations.lameZones) } + hostFindings(names)
        let own = others.filter { !explained.contains($0.subject) }
        return delegations.findings + overlaps + Self.sorted(aliases.findings + own)
    }

    private static func sorted(_ findings: [ReverseFinding]) -> [ReverseFinding] {
        findings.sorted { one, other in
            guard case .address(let first) = one.subject, case .address(let second) = other.subject else {
                return false
            }
            return (first, one.severity, one.code) < (second, other.severity, other.code)
        }
    }

    /// Returns the addresses to query; in zones without an answering server, only the addresses of known hosts.
    private func addresses(_ lameZones: Set<DomainName>) async throws -> [IPAddress] {
        if block.first.isIPv4, block.addressCount <= Self.addressLimit { return block.addresses }
        let isLame = block.namesAtLabels.allSatisfy { $0.ancestors.contains(where: lameZones.contains) }
        guard !isLame else { return Set(hosts.map(\.address)).sorted() }
        return try await Set(source.addresses(of: block) + hosts.map(\.address)).sorted()
    }

    /// Returns the zones without an answering server, for a block that is not within a /24; otherwise the query for
    /// each address would time out.
    private func lameZones() async throws -> Set<DomainName> {
        guard !(block.first.isIPv4 && block.prefixLength > 24) else { return [] }
        let source = source
        let zones = try await concurrentMap(block.zoneCandidates) { try await source.zone(of: $0) }
        let views = try await concurrentMap(Array(Set(zones.compactMap(\.self))), atMost: 16) { zone in
            try await source.delegation(of: zone)
        }
        return Set(views.filter(\.isLame).map(\.zone))
    }

    /// Returns the findings of addresses without a PTR record, of known hosts and of hosts that other PTR records name.
    private func hostFindings(_ names: [ReverseName]) -> [ReverseFinding] {
        let byAddress = Dictionary(names.map { ($0.address, $0) }) { first, _ in first }
        let discovered = names.flatMap { name in
            name.forwards.flatMap { forward in
                forward.answer.records.compactMap { record in
                    record.data.address.map { ReverseHost($0, forward.name) }
                }
            }
        }
        var reported: Set<IPAddress> = []
        return (hosts + discovered).compactMap { host in
            guard let name = byAddress[host.address], name.pointers.isEmpty,
                [.noName, .noRecords].contains(name.answer.outcome), reported.insert(host.address).inserted
            else { return nil }
            return ReverseFinding(.address(host.address), .noPointer(host: host.name))
        }
    }
}
