// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// A correction of the files of both sides of a delegation, which keeps correct lines, and records of other types, as they are.
public struct ReverseRepair: Sendable {
    /// The corrected file of the parent's zone, or of the part of it about the block.
    public private(set) var parent: ZoneDocument
    /// The corrected files of the zones of the addresses' user, in the order given.
    public private(set) var children: [ZoneDocument]

    private let block: AddressBlock
    private let hosts: [IPAddress: DomainName]
    /// The PTR records of both sides by their names, also those in files that no delegation leads to.
    private let pointers: [DomainName: [DomainName]]
    private let forward: FileRecords
    /// What all files said before.
    private let before: FileRecords
    /// The zone that aliases lead to; `nil` where the block is delegated without them.
    private let aliasZone: DomainName?
    private let nameServers: [DomainName]

    /// Corrects files.
    ///
    /// - Parameters:
    ///   - block: The addresses, which are one delegation.
    ///   - parent: The file of the parent's zone.
    ///   - children: The files of the zones with the PTR records.
    ///   - forward: The files of forward zones, which hold the names and addresses of hosts.
    ///   - hosts: Other hosts with addresses of the block; none by default.
    ///   - nameServers: The servers of the zones; empty, the default, for those that the zones name.
    ///   - today: The first serial of the day, from which the serials of changed files are made.
    /// - Throws: `ReverseZoneError.zoneNotGiven(_:)` if the parent's file is not that of the block,
    ///   `ReverseZoneError.unnamedZone` if the zone of a child's file is not known, and `CancellationError`.
    public init(
        of block: AddressBlock, parent: ZoneDocument, children: [ZoneDocument], forward: [ZoneDocument],
        hosts: [ReverseHost] = [], nameServers: [DomainName] = [], today: ZoneSerial
    ) async throws {
        guard parent.origin != .root, block.first.reverseName.isWithin(parent.origin) else {
            throw ReverseZoneError.zoneNotGiven(block.description)
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
        let used = AliasFindings.mostUsedZone(names)
        if let used, origins.isEmpty || origins.contains(where: used.isWithin) { return used }
        // Children that are the addresses' own zones need no aliases.
        if used == nil, children.contains(where: { $0.origin.reverseAddress != nil }) { return nil }
        return origins.first ?? used
    }

    /// The servers that a zone shall have: without those that have no address, and those that are aliases by their own names.
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
            // A domain elsewhere is not the parent's to delegate.
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
        // Where records of other types stay, there can be no CNAME record (RFC 1034 section 3.6.2).
        let kept = parent.ownersOfOtherRecords
        var missing = Set(block.addresses.map(\.reverseName)).subtracting(kept)
        parent.edit { record in
            guard let address = record.owner.reverseAddress, block.contains(address), !kept.contains(record.owner)
            else { return record }
            switch record.value {
            case .alias(let target):
                guard target == Self.alias(of: address, in: zone) else { return nil }
                return missing.remove(record.owner) == nil ? nil : record
            // A name with a CNAME record can have no other one.
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

    /// Takes out delegations that have addresses of the block, where no alias leads to any more.
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
            guard owner.isWithin(origin), !leadsElsewhere(owner) else { continue }
            // A name below a deeper zone that has a file too is that file's.
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

    /// The name at which the PTR record of an address stands.
    private func owner(of address: IPAddress) -> DomainName {
        aliasZone.map { Self.alias(of: address, in: $0) } ?? address.reverseName
    }

    /// Whether an alias leads out of the files, as to a customer's zone; what is there is not known.
    private func leadsElsewhere(_ owner: DomainName) -> Bool {
        let answer = before.answer(to: DNSQuestion(owner, .ptr))
        return answer.outcome == .unknown && !answer.records.isEmpty
    }

    /// The addresses of the block that files say something about.
    private var addresses: [IPAddress] {
        Set(before.addresses(of: block) + hosts.keys + (aliasZone == nil ? [] : block.addresses)).sorted()
    }

    /// The name that the PTR record of an address shall have: one that it has and whose address it is, or that cannot be looked up; or
    /// else the first host with the address.
    private func name(of address: IPAddress) -> DomainName? {
        let own = owner(of: address)
        let (answered, other) = (answers(own), answers(address.reverseName))
        // A record of the address itself counts more than a wildcard.
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

    /// What the PTR records that the files lead to from a name said before.
    private func answers(_ name: DomainName) -> [DomainName] {
        before.answer(to: DNSQuestion(name, .ptr)).records.compactMap(\.data.pointer)
    }

    /// Whether a wildcard has the PTR record of a name.
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

    // MARK: Both

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
