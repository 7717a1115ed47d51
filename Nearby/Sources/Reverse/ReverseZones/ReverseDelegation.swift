// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A delegation of a block's reverse names, from the zone of the parent, which assigned the addresses, to the zones of
/// the address holder.
///
/// Reverse zones end at octet boundaries (IPv4) or nibble boundaries (IPv6), and most blocks do not. RFC 2317 delegates
/// such blocks with aliases.
public struct ReverseDelegation: Hashable, Sendable {
    /// The address block.
    public let block: AddressBlock
    /// The delegation style.
    public let style: DelegationStyle
    /// The name servers of the block's zones; may be empty for ``DelegationStyle/domain(_:)`` and
    /// ``DelegationStyle/dname(_:)``.
    public let nameServers: [DomainName]
    /// The parent zone, which contains the records of the delegation.
    public let parentZone: DomainName
    /// The zones of the address holder: one, or one for each part of the block at a label boundary; never empty.
    public let zones: [DomainName]

    /// Plans a delegation.
    ///
    /// - Parameters:
    ///   - block: The address block.
    ///   - style: The style; `nil`, the default, for the usual one: ``DelegationStyle/slash`` for an IPv4 block within
    ///     a /24, and ``DelegationStyle/zones`` for any other block.
    ///   - nameServers: The name servers of the zones, at least one, except for ``DelegationStyle/domain(_:)`` and
    ///     ``DelegationStyle/dname(_:)``.
    /// - Throws: ``ReverseZoneError/styleNotApplicable(_:block:)``, ``ReverseZoneError/noNameServers``,
    ///   ``ReverseZoneError/malformedLabel(_:)``, ``ReverseZoneError/labelOfAddress(_:)``.
    public init(
        of block: AddressBlock, style: DelegationStyle? = nil, nameServers: [DomainName]
    ) throws(ReverseZoneError) {
        let isWithinOctet = block.first.isIPv4 && block.prefixLength > 24
        let style = style ?? (isWithinOctet ? .slash : .zones)
        let parts = block.partsAtLabels
        switch style {
        case .slash, .hyphen, .range, .label, .domain:
            guard isWithinOctet else { throw Self.inapplicable("its zones can be delegated without aliases", block) }
            parentZone = Self.zone(above: parts)
            zones = [try Self.aliasZone(style, block, in: parentZone)]
        case .addresses:
            guard isWithinOctet else { throw Self.inapplicable("it has more than 256 addresses", block) }
            (parentZone, zones) = (Self.zone(above: parts), parts.map(\.name))
        case .zones:
            guard !isWithinOctet else { throw Self.inapplicable("it is smaller than a zone", block) }
            guard block.prefixLength > 0 else { throw Self.inapplicable("it is all addresses", block) }
            (parentZone, zones) = (Self.zone(above: parts), parts.map(\.name))
        case .dname(let target):
            guard block.isAtLabel, !isWithinOctet, block.prefixLength > 0 else {
                throw Self.inapplicable("its names have no common parent name", block)
            }
            (parentZone, zones) = (Self.zone(above: parts), [target])
        }
        if nameServers.isEmpty {
            switch style {
            case .domain, .dname: break
            default: throw .noNameServers
            }
        }
        (self.block, self.style, self.nameServers) = (block, style, nameServers)
    }

    private static func inapplicable(_ reason: String, _ block: AddressBlock) -> ReverseZoneError {
        .styleNotApplicable(reason, block: block.description)
    }

    private static func zone(above parts: [AddressBlock]) -> DomainName {
        (try? DomainName(labels: Array(parts.first?.name.labels.dropFirst() ?? []))) ?? .root
    }

    private static func aliasZone(
        _ style: DelegationStyle, _ block: AddressBlock, in parent: DomainName
    ) throws(ReverseZoneError) -> DomainName {
        let (first, length) = (Int(block.first.bytes[3]), block.prefixLength)
        let label: String
        switch style {
        case .hyphen: label = "\(first)-\(length)"
        case .range: label = "\(first)-\(first + (1 << (32 - length)) - 1)"
        case .label(let own): label = own
        case .domain(let name): return name
        default: label = "\(first)/\(length)"
        }
        let isPlain = label.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_/".utf8.contains(byte)
        }
        guard isPlain, let name = try? parent.adding(label) else { throw .malformedLabel(label) }
        guard UInt8(label).map({ String($0) }) != label else { throw .labelOfAddress(label) }
        return name
    }

    // MARK: The parent

    /// Returns the lines to add to ``parentZone``.
    ///
    /// - Parameter generates: Whether to write the aliases as one `$GENERATE` line for BIND, instead of one line for
    ///   each address; `false` by default.
    /// - Returns: The lines, in address order.
    public func parentLines(generates: Bool = false) -> [ZoneFile.Line] {
        switch style {
        case .slash, .hyphen, .range, .label: delegations + aliases(generates)
        case .domain: aliases(generates)
        case .addresses, .zones: delegations
        case .dname(let target): [.record(ZoneRecord(block.name, .subtreeAlias(target)))]
        }
    }

    private var delegations: [ZoneFile.Line] {
        zones.flatMap { zone in nameServers.map { .record(ZoneRecord(zone, .nameServer($0))) } }
    }

    private func aliases(_ generates: Bool) -> [ZoneFile.Line] {
        let (first, count) = (Int(block.first.bytes[3]), 1 << (32 - block.prefixLength))
        if generates { return [.aliases(first...(first + count - 1), below: zones[0])] }
        return block.partsAtLabels.map { .record(ZoneRecord($0.name, .alias(owner(of: $0.first)))) }
    }

    /// Returns the file that the parent adds to one of its zones for several blocks.
    ///
    /// - Parameters:
    ///   - delegations: The delegations of the blocks, in any order.
    ///   - generates: Whether to write the aliases of each block as one `$GENERATE` line for BIND; `false` by default.
    /// - Returns: The part of the parent zone; empty if there are no delegations.
    /// - Throws: ``ReverseZoneError/overlap(_:_:)`` for overlapping blocks, ``ReverseZoneError/parentMismatch(_:_:)`` for
    ///   blocks of different zones.
    public static func parentFile(
        of delegations: [ReverseDelegation], generates: Bool = false
    ) throws(ReverseZoneError) -> ZoneFile {
        let sorted = delegations.sorted { $0.block.first < $1.block.first }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.parentZone != next.parentZone {
            throw .parentMismatch(one.block.description, next.block.description)
        }
        try AddressBlock.requireDistinct(delegations.map(\.block))
        return ZoneFile(
            origin: sorted.first?.parentZone ?? .root, timeToLive: nil,
            lines: sorted.flatMap { $0.parentLines(generates: generates) })
    }

    /// Returns the files that parents add for several blocks, one for each parent zone.
    ///
    /// - Parameters:
    ///   - delegations: The delegations of the blocks, in any order.
    ///   - generates: Whether to write the aliases of each block as one `$GENERATE` line for BIND; `false` by default.
    /// - Returns: The parts of the parent zones, ordered by zone name; empty if there are no delegations.
    /// - Throws: ``ReverseZoneError/overlap(_:_:)`` for overlapping blocks of one zone.
    public static func parentFiles(
        of delegations: [ReverseDelegation], generates: Bool = false
    ) throws(ReverseZoneError) -> [ZoneFile] {
        let groups = Dictionary(grouping: delegations, by: \.parentZone)
        var files: [ZoneFile] = []
        for (_, group) in groups.sorted(by: { $0.key.description < $1.key.description }) {
            files.append(try parentFile(of: group, generates: generates))
        }
        return files
    }

    // MARK: The address holder

    /// Returns the owner name of an address's PTR record.
    ///
    /// - Parameter address: An address in the block.
    /// - Returns: The name, which is in one of ``zones``.
    public func owner(of address: IPAddress) -> DomainName {
        switch style {
        case .slash, .hyphen, .range, .label, .domain:
            return (try? zones[0].adding(String(address.bytes.last ?? 0))) ?? zones[0]
        case .addresses, .zones: return address.reverseName
        case .dname(let target):
            let own = address.reverseName.labels.dropLast(block.name.labels.count)
            return (try? DomainName(labels: own + target.labels)) ?? target
        }
    }

    /// Returns the files of the zones, with a PTR record for each host.
    ///
    /// For ``DelegationStyle/domain(_:)`` and ``DelegationStyle/dname(_:)``, the file is a part of an existing zone,
    /// without SOA and NS records.
    ///
    /// - Parameters:
    ///   - hosts: Addresses in the block with host names; an address may have several names.
    ///   - authority: The SOA record of each zone.
    ///   - timeToLive: The time to live of the records, in seconds; one day by default.
    /// - Returns: A file for each zone, in the order of ``zones``.
    /// - Throws: ``ReverseZoneError/hostOutsideBlock(_:block:)``.
    public func zoneFiles(
        of hosts: [ReverseHost], authority: StartOfAuthority, timeToLive: UInt32 = 86_400
    ) throws(ReverseZoneError) -> [ZoneFile] {
        if let stranger = hosts.first(where: { !block.contains($0.address) }) {
            throw .hostOutsideBlock(stranger.address.description, block: block.description)
        }
        let records = hosts.sorted { $0.address < $1.address }.map { host in
            ZoneRecord(owner(of: host.address), .pointer(host.name))
        }
        let isPart =
            switch style {
            case .domain, .dname: true
            default: false
            }
        if isPart {
            return [ZoneFile(origin: zones[0], timeToLive: nil, lines: records.map { .record($0) })]
        }
        // All zone names have the same number of labels.
        let byZone = Dictionary(grouping: records) { $0.owner.labels.suffix(zones[0].labels.count) }
        return zones.map { zone in
            let head =
                [ZoneRecord(zone, .authority(authority))] + nameServers.map { ZoneRecord(zone, .nameServer($0)) }
            let own = byZone[zone.labels[...]] ?? []
            return ZoneFile(origin: zone, timeToLive: timeToLive, lines: (head + own).map { .record($0) })
        }
    }

    /// Returns the files of the zones of several blocks, which may share zones.
    ///
    /// - Parameters:
    ///   - delegations: The delegations of the blocks.
    ///   - hosts: Addresses in the blocks with host names; an address may have several names.
    ///   - authority: The SOA record of each zone.
    ///   - timeToLive: The time to live of the records, in seconds; one day by default.
    /// - Returns: A file for each zone, in the order of the delegations.
    /// - Throws: ``ReverseZoneError/hostOutsideBlock(_:block:)``, and ``ReverseZoneError/sharedZone(_:)`` if blocks
    ///   with different parents have the same zone, in which different addresses could have the same name.
    public static func zoneFiles(
        of delegations: [ReverseDelegation], hosts: [ReverseHost], authority: StartOfAuthority,
        timeToLive: UInt32 = 86_400
    ) throws(ReverseZoneError) -> [ZoneFile] {
        if let stranger = hosts.first(where: { host in !delegations.contains { $0.block.contains(host.address) } }) {
            let blocks = delegations.map(\.block.description).joined(separator: ", ")
            throw .hostOutsideBlock(stranger.address.description, block: blocks)
        }
        var (files, parents) = ([ZoneFile](), [DomainName: DomainName]())
        for delegation in delegations {
            let own = hosts.filter { delegation.block.contains($0.address) }
            for file in try delegation.zoneFiles(of: own, authority: authority, timeToLive: timeToLive) {
                let parent = parents.updateValue(delegation.parentZone, forKey: file.origin)
                guard let parent, let index = files.firstIndex(where: { $0.origin == file.origin }) else {
                    files.append(file)
                    continue
                }
                guard parent == delegation.parentZone else { throw .sharedZone(file.origin.description) }
                let known = Set(files[index].lines)
                files[index] = ZoneFile(
                    origin: file.origin, timeToLive: file.timeToLive,
                    lines: files[index].lines + file.lines.filter { !known.contains($0) })
            }
        }
        return files
    }
}

/// An address with a host name, for a PTR record.
public struct ReverseHost: Hashable, Sendable {
    /// The address of the host.
    public let address: IPAddress
    /// The name of the host.
    public let name: DomainName

    /// Creates a host from an address and a name.
    public init(_ address: IPAddress, _ name: DomainName) { (self.address, self.name) = (address, name) }
}
