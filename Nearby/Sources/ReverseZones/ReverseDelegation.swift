// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// How the reverse names of a block get from the zone of who assigns its addresses, the parent, to the zones of who uses them.
///
/// Reverse zones end at the dots between octets, or at nibbles, and most blocks do not: RFC 2317 bridges that with aliases.
public struct ReverseDelegation: Hashable, Sendable {
    /// The addresses.
    public let block: AddressBlock
    /// How their names get to the zones.
    public let style: DelegationStyle
    /// The servers that have the zones of the block.
    public let nameServers: [DomainName]
    /// The zone that gets the records of the parent.
    public let parentZone: DomainName
    /// The zones of who uses the addresses: one, or one for each part of the block that ends at a label.
    public let zones: [DomainName]

    /// Plans a delegation.
    ///
    /// - Parameters:
    ///   - block: The addresses.
    ///   - style: How; `nil` for the usual way, which is ``DelegationStyle/slash`` for a block of IPv4 within a /24, and else
    ///     ``DelegationStyle/zones``.
    ///   - nameServers: The servers that have the zones, one at least, but for ``DelegationStyle/domain(_:)`` and
    ///     ``DelegationStyle/dname(_:)``.
    /// - Throws: ``ReverseZoneError``.
    public init(
        of block: AddressBlock, style: DelegationStyle? = nil, nameServers: [DomainName]
    ) throws(ReverseZoneError) {
        let isWithinOctet = block.first.isIPv4 && block.prefixLength > 24
        let style = style ?? (isWithinOctet ? .slash : .zones)
        let parts = block.partsAtLabels
        switch style {
        case .slash, .hyphen, .range, .label, .domain:
            guard isWithinOctet else { throw Self.unfit("its zones can be delegated without aliases", block) }
            parentZone = Self.zone(above: parts)
            zones = [try Self.aliasZone(style, block, in: parentZone)]
        case .addresses:
            guard isWithinOctet else { throw Self.unfit("it has more than 256 addresses", block) }
            (parentZone, zones) = (Self.zone(above: parts), parts.map(\.name))
        case .zones:
            guard !isWithinOctet else { throw Self.unfit("it is a part of a zone", block) }
            guard block.prefixLength > 0 else { throw Self.unfit("it is all addresses", block) }
            (parentZone, zones) = (Self.zone(above: parts), parts.map(\.name))
        case .dname(let target):
            guard block.isAtLabel, !isWithinOctet, block.prefixLength > 0 else {
                throw Self.unfit("its names are not all below one name", block)
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

    private static func unfit(_ reason: String, _ block: AddressBlock) -> ReverseZoneError {
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

    /// What the parent adds to ``parentZone``.
    ///
    /// - Parameter generates: Whether aliases are one line with BIND's `$GENERATE`, and not one for each address.
    /// - Returns: The lines, in the order of the addresses.
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

    /// What the parent adds for several blocks of one zone.
    ///
    /// - Throws: ``ReverseZoneError/overlap(_:_:)``, ``ReverseZoneError/otherParent(_:_:)``.
    public static func parentFile(
        of delegations: [ReverseDelegation], generates: Bool = false
    ) throws(ReverseZoneError) -> ZoneFile {
        let sorted = delegations.sorted { $0.block.first < $1.block.first }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.parentZone != next.parentZone {
            throw .otherParent(one.block.description, next.block.description)
        }
        try AddressBlock.requireDistinct(delegations.map(\.block))
        return ZoneFile(
            origin: sorted.first?.parentZone ?? .root, timeToLive: nil,
            lines: sorted.flatMap { $0.parentLines(generates: generates) })
    }

    /// What the parents add for several blocks, a file for each zone.
    ///
    /// - Throws: ``ReverseZoneError/overlap(_:_:)``.
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

    // MARK: The user of the addresses

    /// The name at which the PTR record of an address of the block stands.
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

    /// The files of the zones, with a PTR record for each host.
    ///
    /// For ``DelegationStyle/domain(_:)`` and ``DelegationStyle/dname(_:)`` it is a part of a zone that is there already.
    ///
    /// - Parameters:
    ///   - hosts: Addresses of the block with their names; an address may have several.
    ///   - authority: The SOA record of each zone.
    ///   - timeToLive: For how long resolvers keep the records, in seconds.
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
        // Each zone is one label below the parent's, or below another name.
        let byZone = Dictionary(grouping: records) { $0.owner.labels.suffix(zones[0].labels.count) }
        return zones.map { zone in
            let head =
                [ZoneRecord(zone, .authority(authority))] + nameServers.map { ZoneRecord(zone, .nameServer($0)) }
            let own = byZone[zone.labels[...]] ?? []
            return ZoneFile(origin: zone, timeToLive: timeToLive, lines: (head + own).map { .record($0) })
        }
    }

    /// The files of the zones of several blocks, which may be in one zone.
    ///
    /// - Throws: ``ReverseZoneError/hostOutsideBlock(_:block:)``, and ``ReverseZoneError/sharedZone(_:)`` where addresses of blocks with
    ///   different parents would get the same name.
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

/// A host with an address, for a PTR record.
public struct ReverseHost: Hashable, Sendable {
    /// One of its addresses.
    public let address: IPAddress
    /// Its name.
    public let name: DomainName

    /// A host by its address and its name.
    public init(_ address: IPAddress, _ name: DomainName) { (self.address, self.name) = (address, name) }
}
