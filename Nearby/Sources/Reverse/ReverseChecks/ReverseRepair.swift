// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// Corrects the zone files of both sides of a delegation; correct lines, and records of other types, remain unchanged.
public struct ReverseRepair: Sendable {
    /// The corrected file of the parent zone, or of the part of it that concerns the block.
    public private(set) var parent: ZoneDocument
    /// The corrected files of the address holder's zones, in the order of the input.
    public private(set) var children: [ZoneDocument]

    private let block: AddressBlock
    private let hosts: [IPAddress: DomainName]
    /// The PTR records of both sides by owner, including those in files without a delegation.
    private let pointers: [DomainName: [DomainName]]
    private let forward: FileRecords
    /// The records of all files before the correction.
    private let before: FileRecords
    /// The zone that aliases point into; `nil` if the block is delegated without aliases.
    private let aliasZone: DomainName?
    private let nameServers: [DomainName]

    /// Corrects files.
    ///
    /// - Parameters:
    ///   - block: The addresses of one delegation.
    ///   - parent: The file of the parent zone.
    ///   - children: The files of the zones with the PTR records.
    ///   - forward: The files of forward zones, which contain the names and addresses of hosts.
    ///   - hosts: Further hosts with addresses in the block; none by default.
    ///   - nameServers: The servers of the zones; empty, the default, for the servers in the zones' NS records.
    ///   - today: The first serial of the current day, for the new serials of changed files.
    /// - Throws: `ReverseZoneError.missingZone(_:)` if the parent file is not a zone of the block,
    ///   `ReverseZoneError.unnamedZone` if the zone of a child file is unknown, and `CancellationError`.
    public init(
        of block: AddressBlock, parent: ZoneDocument, children: [ZoneDocument], forward: [ZoneDocument],
        hosts: [ReverseHost] = [], nameServers: [DomainName] = [], today: ZoneSerial
    ) async throws {
        guard parent.origin != .root, block.first.reverseName.isWithin(parent.origin) else {
            throw ReverseZoneError.missingZone(block.description)
        }
        guard !children.contains(where: { $0.origin == .root }) else { throw ReverseZoneError.unnamedZone }
        (self.block, self.parent, self.children) = (block, parent, children)
        self.forward = FileRecords(forward)
        before = FileRecords([parent] + children + forward)
        let known =
            hosts.filter { block.contains($0.address) }
            + forward.flatMap { ReverseHost.hosts(in: $0.records, of: block) }
        self.hosts = Dictionary(known.map { ($0.address, $0.name) }) { first, _ in first }
        let records = ([parent] + children).flatMap(\.records)
        pointers = Dictionary(grouping: records.filter { $0.value.pointer != nil }, by: \.owner)
            .mapValues { $0.compactMap(\.value.pointer) }
        aliasZone = try await Self.aliasZone(of: block, before, children)
        self.nameServers = nameServers
        correctParent()
        for index in self.children.indices { correctChild(index) }
        bumpSerials(today)
    }

    private static func aliasZone(
        of block: AddressBlock, _ records: FileRecords, _ children: [ZoneDocument]
    ) async throws -> DomainName? {
        guard block.first.isIPv4, block.prefixLength > 24 else { return nil }
        let names = try await concurrentMap(block.addresses) { try await ReverseName(of: $0, in: records) }
        let origins = children.map(\.origin).filter { !block.first.reverseName.isWithin($0) }
        let used = AliasFindings.dominantZone(names)
        if let used, origins.isEmpty || origins.contains(where: used.isWithin) { return used }
        // Children that are the reverse zones of addresses need no aliases.
        if used == nil, children.contains(where: { $0.origin.reverseAddress != nil }) { return nil }
        return origins.first ?? used
    }

    /// Returns the correct servers of a zone: names without an address are removed, and aliases are replaced by their
    /// targets.
    private func servers(of zone: DomainName) -> Set<DomainName> {
        let records = children.first { $0.origin == zone }?.records ?? []
        let own = records.filter { $0.owner == zone }.compactMap(\.value.nameServer)
        let delegated = parent.records.filter { $0.owner == zone }.compactMap(\.value.nameServer)
        let servers = !nameServers.isEmpty ? nameServers : own.isEmpty ? delegated : own
        let found = servers.compactMap { server -> DomainName? in
            let answers = [DNSRecordType.a, .aaaa].map { forward.answer(to: DNSQuestion(server, $0)) }
            let isMissing = answers.allSatisfy { [.noName, .noRecords].contains($0.outcome) }
            return isMissing ? nil : AliasPath(from: server, answers[0].records).targets.last ?? server
        }
        return Set(found.isEmpty ? servers : found)
    }

    // MARK: The parent

    private mutating func correctParent() {
        if let aliasZone {
            correctAliases(to: aliasZone)
            // The parent does not delegate a domain outside its zone.
            if aliasZone.isWithin(parent.origin) { correctServers(of: aliasZone, in: &parent) }
            removeOverlaps(of: aliasZone)
        } else {
            for child in children where child.origin.isWithin(parent.origin) && child.origin != parent.origin {
                correctServers(of: child.origin, in: &parent)
            }
        }
        let (block, origins) = (block, Set(children.map(\.origin) + [parent.origin]))
        Self.correctTimes(&parent) { owner in
            origins.contains(owner) || owner.reverseAddress.map(block.contains) == true
        }
    }

    private mutating func correctAliases(to zone: DomainName) {
        // A CNAME record cannot coexist with records of other types (RFC 1034 section 3.6.2).
        let unchangedOwners = parent.ownersOfOtherRecords
        var missing = Set(block.addresses.map(\.reverseName)).subtracting(unchangedOwners)
        parent.edit { record in
            guard let address = record.owner.reverseAddress, block.contains(address),
                !unchangedOwners.contains(record.owner)
            else { return record }
            switch record.value {
            case .alias(let target):
                guard target == Self.alias(of: address, in: zone) else { return nil }
                return missing.remove(record.owner) == nil ? nil : record
            // A name with a CNAME record can have no other record.
            default: return nil
            }
        }
        for address in block.addresses where missing.contains(address.reverseName) {
            parent.add(ZoneRecord(address.reverseName, .alias(Self.alias(of: address, in: zone))))
        }
    }

    private static func alias(of address: IPAddress, in zone: DomainName) -> DomainName {
        (try? zone.adding(String(address.bytes.last ?? 0))) ?? zone
    }

    private func correctServers(of zone: DomainName, in document: inout ZoneDocument) {
        var missing = servers(of: zone)
        guard !missing.isEmpty else { return }
        document.edit { record in
            guard record.owner == zone, let server = record.value.nameServer else { return record }
            return missing.remove(server) == nil ? nil : record
        }
        for server in missing.sorted(by: { $0.description < $1.description }) {
            document.add(ZoneRecord(zone, .nameServer(server)))
        }
    }

    /// Removes delegations that overlap the block and are no longer the target of any alias.
    private mutating func removeOverlaps(of zone: DomainName) {
        let others = Set(block.overlappingBlocks.flatMap(\.usualZones)).subtracting([zone])
        let used = Set(parent.records.compactMap { $0.value.alias?.parent })
        parent.edit { record in
            guard record.value.nameServer != nil, others.contains(record.owner), !used.contains(record.owner) else {
                return record
            }
            return nil
        }
    }

    // MARK: The children

    private mutating func correctChild(_ index: Int) {
        let origin = children[index].origin
        if children[index].authority != nil { correctServers(of: origin, in: &children[index]) }
        correctAuthority(&children[index])
        var missing: [DomainName: DomainName] = [:]
        var concerned: Set<DomainName> = []
        for address in addresses {
            let owner = owner(of: address)
            guard owner.isWithin(origin), !pointsOutsideFiles(owner) else { continue }
            // A name in a deeper zone that has its own file belongs to that file.
            let isDeeper = children.contains {
                owner.isWithin($0.origin) && $0.origin.labels.count > origin.labels.count
            }
            guard !isDeeper else { continue }
            concerned.insert(owner)
            let name = name(of: address)
            missing[owner] = isWildcard(owner) && answers(owner) == [name] ? nil : name
        }
        children[index].edit { record in
            guard concerned.contains(record.owner) else { return record }
            switch record.value {
            case .pointer(let name):
                guard missing[record.owner] == name else { return nil }
                missing[record.owner] = nil
                return record
            case .alias: return nil
            default: return record
            }
        }
        for (owner, name) in missing.sorted(by: { $0.key.description < $1.key.description }) {
            children[index].add(ZoneRecord(owner, .pointer(name)))
        }
        Self.correctTimes(&children[index]) { _ in true }
    }

    /// Returns the owner name of an address's PTR record.
    private func owner(of address: IPAddress) -> DomainName {
        aliasZone.map { Self.alias(of: address, in: $0) } ?? address.reverseName
    }

    /// Returns whether an alias points outside the files, such as into a customer's zone, whose contents are unknown.
    private func pointsOutsideFiles(_ owner: DomainName) -> Bool {
        let answer = before.answer(to: DNSQuestion(owner, .ptr))
        return answer.outcome == .unknown && !answer.records.isEmpty
    }

    /// The addresses of the block that occur in the files.
    private var addresses: [IPAddress] {
        Set(before.addresses(of: block) + hosts.keys + (aliasZone == nil ? [] : block.addresses)).sorted()
    }

    /// Returns the correct host name for an address's PTR record: a current name that resolves to the address or cannot
    /// be checked, and otherwise the first host with the address.
    private func name(of address: IPAddress) -> DomainName? {
        let own = owner(of: address)
        let (answered, other) = (answers(own), answers(address.reverseName))
        // A record of the address itself takes precedence over a wildcard.
        let asked = isWildcard(own) ? other + answered : answered + other
        var unknown: DomainName?
        for name in asked.isEmpty ? pointers[own] ?? [] : asked {
            let answer = forward.answer(to: DNSQuestion(name, address.isIPv4 ? .a : .aaaa))
            if answer.records.contains(where: { $0.data.address == address }) {
                return AliasPath(from: name, answer.records).targets.last ?? name
            }
            if answer.outcome == .unknown { unknown = unknown ?? name }
        }
        return unknown ?? hosts[address]
    }

    /// Returns the host names of the PTR records that the original files have for a name.
    private func answers(_ name: DomainName) -> [DomainName] {
        before.answer(to: DNSQuestion(name, .ptr)).records.compactMap(\.data.pointer)
    }

    /// Returns whether a wildcard provides the PTR record of a name.
    private func isWildcard(_ name: DomainName) -> Bool {
        pointers[name] == nil
            && before.answer(to: DNSQuestion(name, .ptr)).records.contains {
                $0.name == name && $0.data.pointer != nil
            }
    }

    private func correctAuthority(_ document: inout ZoneDocument) {
        document.edit { record in
            guard case .authority(var authority) = record.value, authority.expire <= authority.refresh else {
                return record
            }
            let usual = StartOfAuthority(primary: .root, mailbox: .root, serial: authority.serial)
            (authority.refresh, authority.retry, authority.expire) = (usual.refresh, usual.retry, usual.expire)
            return ZoneRecord(record.owner, .authority(authority), timeToLive: record.timeToLive)
        }
    }

    // MARK: Both sides

    private static func correctTimes(_ document: inout ZoneDocument, of isConcerned: (DomainName) -> Bool) {
        document.editTimes(of: isConcerned, TimeToLive.usual)
        struct Key: Hashable {
            let owner: DomainName
            let type: DNSRecordType
        }
        var first: [Key: UInt32] = [:]
        document.edit { record in
            guard isConcerned(record.owner), let time = record.timeToLive.map(TimeToLive.usual) else { return record }
            let common = first[Key(owner: record.owner, type: record.value.type), default: time]
            first[Key(owner: record.owner, type: record.value.type)] = common
            return time == common ? record : ZoneRecord(record.owner, record.value, timeToLive: common)
        }
    }

    private mutating func bumpSerials(_ today: ZoneSerial) {
        if parent.isChanged, let old = parent.authority { parent.setSerial(old.serial.next(on: today)) }
        for index in children.indices where children[index].isChanged {
            if let old = children[index].authority { children[index].setSerial(old.serial.next(on: today)) }
        }
    }
}

extension DNSRecordData {
    var alias: DomainName? { if case .alias(let name) = self { name } else { nil } }
}
