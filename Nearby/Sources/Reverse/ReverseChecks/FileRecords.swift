// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// A source of records from zone files, which answers like servers and a resolver with these files.
public struct FileRecords: RecordSource {
    private struct Zone: Sendable {
        var records: [DomainName: [DNSRecord]] = [:]
        /// All existing names, including empty non-terminals.
        var names: Set<DomainName> = []
    }

    private var zones: [DomainName: Zone] = [:]

    /// The time to live of records without one; any usual value is sufficient.
    private static let usualTime: UInt32 = 3_600

    /// Creates a source from zone files.
    ///
    /// - Parameter documents: The files; a file without an SOA record is a part of the zone above it, if that zone is
    ///   also present.
    public init(_ documents: [ZoneDocument]) {
        let origins = documents.filter { $0.authority != nil }.map(\.origin)
        for document in documents {
            // A file without an SOA record belongs to the zone that contains it.
            let containingZone =
                document.authority == nil ? document.origin.ancestors.first(where: origins.contains) : nil
            let origin = containingZone ?? document.origin
            for record in document.records {
                // Servers ignore names outside the zone.
                guard record.owner.isWithin(origin) else { continue }
                let time = record.timeToLive ?? Self.usualTime
                zones[origin, default: Zone()].records[record.owner, default: []].append(
                    DNSRecord(record.owner, record.value, timeToLive: time))
            }
        }
        for (origin, zone) in zones {
            for name in zone.records.keys where !zone.names.contains(name) {
                for ancestor in name.ancestors.prefix(name.labels.count - origin.labels.count + 1) {
                    guard zones[origin]?.names.insert(ancestor).inserted == true else { break }
                }
            }
        }
    }

    // MARK: Answers

    /// Answers a question as a resolver would, including the aliases of the chain (RFC 1034 section 4.3.2, RFC 6672,
    /// RFC 4592).
    ///
    /// - Parameter question: The question.
    /// - Returns: The answer; ``RecordAnswer/Outcome/unknown`` if the name is in none of the files.
    public func answer(to question: DNSQuestion) -> RecordAnswer {
        var (name, path) = (question.name, [DNSRecord]())
        for _ in 0...AliasPath.limit {
            guard let origin = servedZone(of: name), let zone = zones[origin] else { return answer(.unknown, path) }
            if let alias = subtreeAlias(above: name, zone) {
                path += alias
                guard case .alias(let target)? = alias.last?.data else { return answer(.failed("YXDOMAIN"), path) }
                name = target
                continue
            }
            if cut(above: name, in: origin) != nil { return answer(.unknown, path) }
            guard let owner = zone.names.contains(name) ? name : wildcard(for: name, origin, zone) else {
                return answer(.noName, path)
            }
            let records = (zone.records[owner] ?? []).map { record in
                DNSRecord(name, record.data, timeToLive: record.timeToLive)
            }
            let wanted = records.filter { $0.type == question.type }
            if !wanted.isEmpty { return answer(.found, path + wanted) }
            guard let alias = records.first(where: { $0.type == .cname }), case .alias(let target) = alias.data else {
                return answer(.noRecords, path)
            }
            path.append(alias)
            name = target
        }
        return answer(.failed("SERVFAIL"), path)
    }

    private func answer(_ outcome: RecordAnswer.Outcome, _ records: [DNSRecord]) -> RecordAnswer {
        RecordAnswer(outcome, records, hasOriginalTimes: true)
    }

    /// Returns the DNAME record above a name, and the alias synthesized from it.
    private func subtreeAlias(above name: DomainName, _ zone: Zone) -> [DNSRecord]? {
        for ancestor in name.ancestors.dropFirst() {
            for record in zone.records[ancestor] ?? [] {
                guard case .subtreeAlias(let target) = record.data else { continue }
                let alias = name.moved(from: ancestor, to: target).map {
                    DNSRecord(name, .alias($0), timeToLive: record.timeToLive)
                }
                return [record] + [alias].compactMap(\.self)
            }
        }
        return nil
    }

    /// Returns the wildcard that matches a nonexistent name (RFC 4592 section 3.3.1).
    private func wildcard(for name: DomainName, _ origin: DomainName, _ zone: Zone) -> DomainName? {
        guard let closest = name.ancestors.first(where: { zone.names.contains($0) }),
            let wildcard = try? closest.adding("*"), zone.names.contains(wildcard)
        else { return nil }
        return wildcard
    }

    // MARK: Zones

    /// Returns the zone among the files that contains a name and is delegated by the zones above it.
    private func servedZone(of name: DomainName) -> DomainName? {
        let origins = name.ancestors.filter { zones[$0] != nil }
        return zip(origins, origins.dropFirst().map { Optional($0) } + [nil]).first { origin, above in
            above.map { cut(above: origin, in: $0) != nil } ?? true
        }?.0
    }

    /// Returns the highest delegated name below the origin that equals a name or is above it.
    private func cut(above name: DomainName, in origin: DomainName) -> DomainName? {
        name.ancestors.prefix { $0 != origin }.last { ancestor in
            (zones[origin]?.records[ancestor] ?? []).contains { $0.type == .ns }
        }
    }

    /// Returns the zone that contains a name, even if only its delegation is in the files; `nil` if the files do not
    /// cover the name.
    public func zone(of name: DomainName) -> DomainName? {
        servedZone(of: name).map { cut(above: name, in: $0) ?? $0 }
    }

    /// Returns the servers of a zone that the files of the parent zone and of the zone specify.
    public func delegation(of zone: DomainName) -> DelegationView {
        var view = DelegationView(of: zone)
        if let above = zone.ancestors.dropFirst().first(where: { zones[$0] != nil }) {
            view.parentServers = Set(servers(of: zone, in: above))
        }
        let own = Set(servers(of: zone, in: zone))
        let apex = (zones[zone]?.records[zone] ?? []).filter { [.ns, .soa].contains($0.type) }
        view.servers = own.union(view.parentServers ?? []).sorted { $0.description < $1.description }.map { host in
            ServerView(host, state(of: host, apex: own.contains(host) ? apex : []))
        }
        return view
    }

    private func servers(of name: DomainName, in origin: DomainName) -> [DomainName] {
        (zones[origin]?.records[name] ?? []).compactMap { record in
            if case .nameServer(let host) = record.data { host } else { nil }
        }
    }

    private func state(of host: DomainName, apex: [DNSRecord]) -> ServerView.State {
        let answers = [DNSRecordType.a, .aaaa].map { answer(to: DNSQuestion(host, $0)) }
        if let target = AliasPath(from: host, answers[0].records).targets.last { return .isAlias(of: target) }
        if answers.allSatisfy({ [.noName, .noRecords].contains($0.outcome) }) { return .hasNoAddress }
        return apex.isEmpty ? .notAsked : .answers(apex)
    }

    // MARK: Addresses

    /// Returns the addresses of a block with PTR records, at their reverse names or below a DNAME target, in order.
    public func addresses(of block: AddressBlock) -> [IPAddress] {
        let records = zones.values.flatMap { $0.records.values.joined() }
        let moves = records.compactMap { record -> (DomainName, DomainName)? in
            if case .subtreeAlias(let target) = record.data { (target, record.name) } else { nil }
        }
        let owners = Set(records.lazy.filter { $0.type == .ptr }.map(\.name))
        let all = owners.flatMap { owner in [owner] + moves.compactMap { owner.moved(from: $0.0, to: $0.1) } }
        return Set(all.compactMap(\.reverseAddress).filter(block.contains)).sorted()
    }
}
