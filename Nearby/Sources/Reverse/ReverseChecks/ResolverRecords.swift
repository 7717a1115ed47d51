// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSClient
public import DNSMessages
public import DNSNames
public import ReverseZones

/// A source of records that queries resolvers, and the servers of each zone for the zone's delegation.
public struct ResolverRecords: RecordSource {
    private let client: DNSClient
    private let resolvers: [DNSServer]

    /// The maximum number of servers of a zone to query, and of addresses of each server.
    private static let serverLimit = 16
    private static let addressLimit = 4
    /// The maximum number of names at one level of the tree, as below wildcards; above it, only a sample is searched
    /// further.
    private static let (treeLimit, sample) = (4_096, 256)

    /// Creates a source with the resolvers that respond to a query for the SOA record of the root.
    ///
    /// - Parameters:
    ///   - client: The client that sends the queries.
    ///   - resolvers: The recursive resolvers, which are queried in order until one answers.
    /// - Throws: `DNSClientError` if none responds, all refuse, or the list is empty, and `CancellationError`.
    public init(_ client: DNSClient, resolvers: [DNSServer]) async throws {
        var (responding, failure) = ([DNSServer](), DNSClientError.noServers)
        for resolver in resolvers {
            do {
                let root = DNSQuestion(.root, .soa)
                let response = try await client.response(to: root, from: resolver, recursion: true)
                if response.responseCode == .refused {
                    failure = .noRecursion(resolver)
                } else {
                    responding.append(resolver)
                }
            } catch let error as DNSClientError {
                failure = error
            }
        }
        guard !responding.isEmpty else { throw failure }
        (self.client, self.resolvers) = (client, responding)
    }

    // MARK: Answers

    /// Queries the resolvers, and returns the answer with the aliases of the chain.
    ///
    /// - Parameter question: The question.
    /// - Returns: The answer; ``RecordAnswer/Outcome/failed(_:)`` if no resolver can answer.
    /// - Throws: `CancellationError`.
    public func answer(to question: DNSQuestion) async throws -> RecordAnswer {
        let answer = try await resolvedAnswer(to: question)
        guard case .failed(let reason) = answer.outcome, answer.records.isEmpty, question.type != .cname else {
            return answer
        }
        // If the last name of an alias chain has no answer, or the chain is a loop, the chain is resolved step by step.
        var (name, path) = (question.name, [DNSRecord]())
        for _ in 0..<AliasPath.limit {
            let step = try await resolvedAnswer(to: DNSQuestion(name, .cname))
            guard step.outcome == .found, let record = step.records.first, case .alias(let target) = record.data else {
                break
            }
            path.append(record)
            name = target
            if path.contains(where: { $0.name == name }) { break }
        }
        return RecordAnswer(.failed(reason), path, hasOriginalTimes: false)
    }

    private func resolvedAnswer(to question: DNSQuestion) async throws -> RecordAnswer {
        switch try await response(to: question) {
        case .failure(let reason): return RecordAnswer(.failed(reason), hasOriginalTimes: false)
        case .success(let message):
            let path = AliasPath(from: question.name, message.answers)
            let end = path.targets.last ?? question.name
            let isFound = message.answers.contains { $0.name == end && $0.type == question.type }
            let outcome: RecordAnswer.Outcome =
                path.isLoop && question.type != .cname
                ? .failed("a loop of aliases")
                : isFound || (question.type == .cname && !path.targets.isEmpty)
                    ? .found : message.responseCode == .nameError ? .noName : .noRecords
            return RecordAnswer(outcome, message.answers, hasOriginalTimes: false)
        }
    }

    private enum Response {
        case success(DNSMessage)
        /// The query failed. Holds the response code, or the reason that there is no response.
        case failure(String)
    }

    /// Returns the first usable response of a resolver.
    private func response(to question: DNSQuestion) async throws -> Response {
        var reason = "no response"
        for resolver in resolvers {
            guard let message = try await ask(question, resolver, recursion: true) else { continue }
            if [.noError, .nameError].contains(message.responseCode) { return .success(message) }
            reason = message.responseCode.description
        }
        return .failure(reason)
    }

    /// - Returns: The response, or `nil` if the server does not respond.
    private func ask(_ question: DNSQuestion, _ server: DNSServer, recursion: Bool) async throws -> DNSMessage? {
        do {
            return try await client.response(to: question, from: server, recursion: recursion)
        } catch is DNSClientError {
            return nil
        }
    }

    // MARK: Zones

    /// Returns the zone that contains a name, from its SOA record, or from the parent's servers if the zone's servers
    /// do not answer.
    ///
    /// - Parameter name: The name.
    /// - Returns: The name of the zone; `nil` if it is unknown.
    /// - Throws: `CancellationError`.
    public func zone(of name: DomainName) async throws -> DomainName? {
        if let zone = try await answeredZone(of: name) { return zone }
        for ancestor in name.ancestors.dropFirst() {
            guard let above = try await answeredZone(of: ancestor) else { continue }
            return try await referral(for: name, from: above)?.zone ?? above
        }
        return nil
    }

    private func answeredZone(of name: DomainName) async throws -> DomainName? {
        guard case .success(let message) = try await response(to: DNSQuestion(name, .soa)) else { return nil }
        return (message.answers + message.authorities).first { $0.type == .soa && name.isWithin($0.name) }?.name
    }

    private struct Referral {
        let zone: DomainName
        /// The servers of the zone; `nil` if the parent's servers also serve the zone, so that they answer
        /// authoritatively.
        let servers: Set<DomainName>?
        let glue: [DNSRecord]
    }

    /// Returns the referral of a zone's servers for a name below the zone.
    ///
    /// - Returns: The referral, or `nil` if no server answers.
    private func referral(for name: DomainName, from zone: DomainName) async throws -> Referral? {
        for host in try await servers(of: zone) {
            for address in try await addresses(of: host) {
                guard let message = try await ask(DNSQuestion(name, .ns), DNSServer(address), recursion: false),
                    [.noError, .nameError].contains(message.responseCode)
                else { continue }
                if message.flags.contains(.authoritative), message.answers.contains(where: { $0.name == name }) {
                    return Referral(zone: name, servers: nil, glue: [])
                }
                let cuts = message.authorities.filter { record in
                    record.type == .ns && name.isWithin(record.name) && record.name != zone
                        && record.name.isWithin(zone)
                }
                guard let cut = cuts.first?.name else {
                    if message.flags.contains(.authoritative) { return Referral(zone: zone, servers: [], glue: []) }
                    continue
                }
                return Referral(
                    zone: cut, servers: Set(cuts.compactMap { $0.name == cut ? $0.data.nameServer : nil }),
                    glue: message.additionals)
            }
        }
        return nil
    }

    private func servers(of zone: DomainName) async throws -> [DomainName] {
        let hosts = try await resolvedAnswer(to: DNSQuestion(zone, .ns)).records.compactMap(\.data.nameServer)
        return Array(hosts.prefix(Self.serverLimit))
    }

    private func addresses(of host: DomainName) async throws -> [IPAddress] {
        var addresses: [IPAddress] = []
        for type in [DNSRecordType.a, .aaaa] {
            addresses += try await resolvedAnswer(to: DNSQuestion(host, type)).records.compactMap(\.data.address)
        }
        return Array(addresses.prefix(Self.addressLimit))
    }

    /// Queries the parent's servers for the delegation of a zone, and each server of the zone for the zone itself.
    ///
    /// At most 16 servers are queried, at 4 addresses each.
    ///
    /// - Parameter zone: The name of the zone.
    /// - Returns: The servers and their states.
    /// - Throws: `CancellationError`.
    public func delegation(of zone: DomainName) async throws -> DelegationView {
        var (view, glue) = (DelegationView(of: zone), [DNSRecord]())
        if zone != .root, let above = try await self.zone(of: zone.parent),
            let referral = try await referral(for: zone, from: above)
        {
            (view.parentServers, glue) = (referral.servers, referral.glue)
        }
        let hosts = Set(try await servers(of: zone)).union(view.parentServers ?? []).sorted {
            $0.description < $1.description
        }
        for host in hosts.prefix(Self.serverLimit) { view.servers += try await states(of: host, zone, glue) }
        return view
    }

    private func states(
        of host: DomainName, _ zone: DomainName, _ glue: [DNSRecord]
    ) async throws -> [ServerView] {
        let alias = try await resolvedAnswer(to: DNSQuestion(host, .a))
        if let target = AliasPath(from: host, alias.records).targets.last {
            return [ServerView(host, .isAlias(of: target))]
        }
        var addresses = try await addresses(of: host)
        if addresses.isEmpty { addresses = glue.filter { $0.name == host }.compactMap(\.data.address) }
        guard !addresses.isEmpty else { return [ServerView(host, .hasNoAddress)] }
        var views: [ServerView] = []
        for address in addresses { views.append(ServerView(host, at: address, try await state(of: address, zone))) }
        return views
    }

    private func state(of address: IPAddress, _ zone: DomainName) async throws -> ServerView.State {
        var records: [DNSRecord] = []
        for type in [DNSRecordType.soa, .ns] {
            guard let message = try await ask(DNSQuestion(zone, type), DNSServer(address), recursion: false) else {
                return .silent
            }
            guard message.responseCode == .noError else { return .refuses(message.responseCode) }
            let own = message.answers.filter { $0.name == zone && $0.type == type }
            guard message.flags.contains(.authoritative), !own.isEmpty else { return .notAuthoritative }
            records += own
        }
        return .answers(records)
    }

    // MARK: Addresses

    /// Returns the addresses of a block with PTR records, without queries below names that do not exist (RFC 8020).
    ///
    /// If a level of the tree has more than 4,096 names, as in zones with wildcards, only the first 256 of them are
    /// searched further.
    ///
    /// - Parameter block: The address block.
    /// - Returns: The addresses with PTR records.
    /// - Throws: `CancellationError`.
    public func addresses(of block: AddressBlock) async throws -> [IPAddress] {
        let (digits, total) =
            block.first.isIPv4 ? ((0...255).map { String($0) }, 6) : ((0...15).map { String($0, radix: 16) }, 34)
        var level = block.namesAtLabels
        while let first = level.first, first.labels.count < total {
            let names = level.flatMap { name in digits.compactMap { try? name.adding($0) } }
            let found = try await concurrentMap(names) { name in
                let outcome = try await answer(to: DNSQuestion(name, .ptr)).outcome
                return outcome == .noName ? nil : (name, outcome == .found)
            }.compactMap(\.self)
            let isLast = first.labels.count + 1 == total
            level = found.filter { $0.1 || !isLast }.map(\.0)
            if level.count > Self.treeLimit { level = Array(level.prefix(Self.sample)) }
        }
        return level.compactMap(\.reverseAddress).filter(block.contains)
    }
}

extension DNSRecordData {
    var nameServer: DomainName? { if case .nameServer(let name) = self { name } else { nil } }
    var address: IPAddress? { if case .address(let address) = self { address } else { nil } }
    var pointer: DomainName? { if case .pointer(let name) = self { name } else { nil } }
}
