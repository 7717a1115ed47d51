// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones

/// The problems of the zones that contain the names of a block, and of their servers.
struct DelegationFindings {
    private(set) var findings: [ReverseFinding] = []
    /// The zones without an answering server.
    private(set) var lameZones: Set<DomainName> = []

    /// The zones that aliases point into but that the parent zone does not delegate, and in which no alias target
    /// has records.
    private(set) var missingZones: Set<DomainName> = []

    /// Whether no address has an alias or a PTR record.
    private(set) var hasNothing = false

    /// The maximum number of zones to check.
    private static let zoneLimit = 4_096

    init(
        of block: AddressBlock, _ names: [ReverseName], and others: Set<DomainName>, in source: any RecordSource,
        today: ZoneSerial
    ) async throws {
        hasNothing =
            others.isEmpty
            && names.allSatisfy { $0.path.targets.isEmpty && [.noName, .noRecords].contains($0.answer.outcome) }
        if hasNothing { findings.append(ReverseFinding(.zone(block.name), .nothingFound)) }
        let candidates = Self.candidates(block, names).union(others).sorted { $0.description < $1.description }
        let found = try await concurrentMap(candidates) { name in (name, try await source.zone(of: name)) }
        let parent = try await source.zone(of: block.namesAtLabels.first?.parent ?? block.name)
        missingZones = Self.missingZones(found, names, parent: parent)
        findings += missingZones.map { ReverseFinding(.zone($0), .notDelegated) }
        let zones = Set(found.compactMap(\.1) + [parent].compactMap(\.self)).sorted { $0.description < $1.description }
        let views = try await concurrentMap(Array(zones.prefix(Self.zoneLimit)), atMost: 16) { zone in
            try await source.delegation(of: zone)
        }
        for view in views {
            findings += view.findings(today: today).map { ReverseFinding(.zone(view.zone), $0) }
            if view.isLame { lameZones.insert(view.zone) }
        }
    }

    /// Returns the names whose zones are checked: the parents of alias targets, and the block's own names.
    private static func candidates(_ block: AddressBlock, _ names: [ReverseName]) -> Set<DomainName> {
        let ends = names.compactMap { $0.path.isLoop ? nil : $0.path.targets.last?.parent }
        let own =
            block.first.isIPv4 && block.prefixLength > 24
            ? names.filter { $0.path.targets.isEmpty }.map(\.address.reverseName)
            : block.zoneCandidates + names.map { $0.address.reverseName.parent }
        return Set(ends + own)
    }

    private static func missingZones(
        _ found: [(DomainName, DomainName?)], _ names: [ReverseName], parent: DomainName?
    ) -> Set<DomainName> {
        guard let parent else { return [] }
        let byEnd = Dictionary(grouping: names) { $0.path.targets.last?.parent }
        let missing = found.filter { name, zone in
            zone == parent && name.isWithin(parent) && name != parent
                && byEnd[name]?.allSatisfy { [.noName, .noRecords].contains($0.answer.outcome) } == true
        }
        return Set(missing.map(\.0))
    }
}

extension DelegationView {
    /// Whether servers of the zone are known and none of them answers.
    var isLame: Bool {
        !servers.isEmpty
            && servers.allSatisfy { server in
                switch server.state {
                case .answers, .notAsked: false
                default: true
                }
            }
    }

    /// Returns the problems of the servers, and of the zone data from the first server that answers.
    func findings(today: ZoneSerial) -> [ReverseFinding.Kind] {
        var kinds = servers.compactMap { server -> ReverseFinding.Kind? in
            switch (server.state, server.address) {
            case (.silent, let address?): .silentServer(server.host, address)
            case (.refuses(let code), let address?): .refusingServer(server.host, address, code)
            case (.notAuthoritative, let address?): .notAuthoritative(server.host, address)
            case (.isAlias(let target), _): .serverIsAlias(server.host, of: target)
            case (.hasNoAddress, _): .serverWithoutAddress(server.host)
            default: nil
            }
        }
        if zone.labels.contains(where: { $0.contains(UInt8(ascii: "/")) }) { kinds.append(.slashLabel) }
        let answers = servers.compactMap { server in
            if case .answers(let records) = server.state { (host: server.host, records: records) } else { nil }
        }
        guard let first = answers.first else { return kinds }
        let own = Set(first.records.compactMap(\.data.nameServer))
        if let parentServers, parentServers != own {
            kinds.append(
                .differentServers(parentOnly: Self.only(parentServers, own), zoneOnly: Self.only(own, parentServers)))
        }
        if own.count == 1, let server = own.first { kinds.append(.oneServer(server)) }
        let serials = Dictionary(
            answers.compactMap { answer in Self.authority(answer.records).map { (answer.host, $0.serial) } }
        ) { first, _ in first }
        if Set(serials.values).count > 1 { kinds.append(.differentSerials(serials)) }
        if let authority = Self.authority(first.records) {
            if authority.expire <= authority.refresh { kinds.append(.shortExpiry(authority)) }
            if Self.isAhead(authority.serial, of: today) { kinds.append(.serialAhead(authority.serial)) }
        }
        return kinds + Self.times(first.records)
    }

    private static func only(_ one: Set<DomainName>, _ other: Set<DomainName>) -> [DomainName] {
        one.subtracting(other).sorted { $0.description < $1.description }
    }

    private static func authority(_ records: [DNSRecord]) -> StartOfAuthority? {
        for record in records { if case .authority(let authority) = record.data { return authority } }
        return nil
    }

    /// Returns whether a serial in date format is later than tomorrow.
    private static func isAhead(_ serial: ZoneSerial, of today: ZoneSerial) -> Bool {
        let (month, day) = (serial.value / 10_000 % 100, serial.value / 100 % 100)
        return serial.value > today.value + 199 && serial.value < 2_100_000_000 && (1...12).contains(month)
            && (1...31).contains(day)
    }

    private static func times(_ records: [DNSRecord]) -> [ReverseFinding.Kind] {
        var kinds: [ReverseFinding.Kind] = []
        for type in [DNSRecordType.soa, .ns] {
            let own = records.filter { $0.type == type }
            guard let name = own.first?.name else { continue }
            let times = Set(own.map(\.timeToLive))
            if let seconds = times.sorted().first(where: { TimeToLive.usual($0) != $0 }) {
                kinds.append(.unusualTime(name, type, seconds: seconds))
            }
            if times.count > 1 { kinds.append(.differentTimes(name, type)) }
        }
        return kinds
    }
}
