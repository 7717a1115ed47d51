// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSMessages
package import DNSNames

/// A multicast DNS implementation for all links of a host (RFC 6762), without sockets and clocks: the caller passes
/// packets and times in, and receives packets and events.
package struct MulticastDNSEngine: Sendable {
    package enum Event: Hashable, Sendable {
        /// A requested record was received on an interface.
        case found(DNSRecord, interface: Int)
        /// The record has expired, or its owner sent a goodbye packet.
        case lost(DNSRecord, interface: Int)
        /// The service is announced on all links, with this label.
        case registered(Int, label: String)
    }

    struct LinkState: Sendable {
        var addresses: [InterfaceAddress]
        var responder: Responder
        var querier: Querier
        var budget: PacketBudget
    }

    struct ServiceState: Sendable {
        var service: AnnouncedService
        var registeredLabel: String?
        var conflicts = ConflictRate()
    }

    /// The label of this host's name.
    package internal(set) var hostLabel: String
    var hostConflicts = ConflictRate()
    var links: [Link: LinkState] = [:]
    var services: [Int: ServiceState] = [:]
    /// The service IDs by name.
    var ids: [AnnouncedService.Instance: Int] = [:]
    private var lastService = 0
    /// The number of queriers of each record set.
    private var questions: [RecordSetKey: Int] = [:]
    /// The addresses that this host had on any link, with the time until which they still count as its own.
    private var formerAddresses: [IPAddress: Instant] = [:]
    var events: [Event] = []
    private var delays: Delays
    /// Whether no other process shares the port.
    package let ownsPort: Bool

    /// Creates an engine for a host whose name is the given label below `local.`.
    ///
    /// If other processes share the port, unicast answers may reach one of them.
    package init(hostLabel: String, delays: Delays, ownsPort: Bool = true) {
        (self.hostLabel, self.delays, self.ownsPort) = (hostLabel, delays, ownsPort)
    }

    // MARK: Links

    /// Adds a link, or updates its addresses.
    ///
    /// `addresses` are those of the interface, of both IP versions; `maximumLength` is the maximum message length
    /// without the UDP and IP headers.
    package mutating func setLink(
        _ link: Link, addresses: [InterfaceAddress], maximumLength: Int, at now: Instant
    ) {
        if let old = links[link] {
            guard old.addresses != addresses else { return }
            for address in old.addresses { retire(address.address, at: now) }
            links[link]?.addresses = addresses
            if let claim = hostClaim(link) { links[link]?.responder.update(claim, at: now) }
            return
        }
        let packing = MessagePacking(maximumLength: max(512, maximumLength))
        links[link] = LinkState(
            addresses: addresses,
            responder: Responder(delays: Delays(seed: delays.next()), packing: packing, ownsPort: ownsPort),
            querier: Querier(delays: Delays(seed: delays.next()), packing: packing, ownsPort: ownsPort),
            budget: PacketBudget(at: now))
        for key in questions.keys { links[link]?.querier.ask(key, at: now) }
        guard !services.isEmpty else { return }
        if let claim = hostClaim(link) { links[link]?.responder.add(claim, at: now) }
        for id in services.keys { addClaim(of: id, on: link, at: now) }
    }

    /// Removes a link that is down, with all its state.
    package mutating func removeLink(_ link: Link, at now: Instant) {
        guard var state = links.removeValue(forKey: link) else { return }
        for address in state.addresses { retire(address.address, at: now) }
        report(state.querier.removeAll(), on: link)
        for id in services.keys { reportRegistration(of: id) }
    }

    private mutating func retire(_ address: IPAddress, at now: Instant) {
        formerAddresses = formerAddresses.filter { $0.value > now }
        formerAddresses[address] = now.advanced(by: .seconds(MulticastDNS.hostTimeToLive))
    }

    func ownAddresses(at now: Instant) -> Set<IPAddress> {
        Set(links.values.flatMap { $0.addresses.map(\.address) })
            .union(formerAddresses.lazy.filter { $0.value > now }.map(\.key))
    }

    // MARK: Services

    /// Starts to announce a service; its label changes if another service on this host already has it.
    ///
    /// - Returns: The ID of the service.
    /// - Throws: ``DomainNameError`` if its name is not a valid domain name.
    package mutating func announce(_ service: AnnouncedService, at now: Instant) throws(DomainNameError) -> Int {
        _ = try service.claim(.host, host: .root)
        for subtype in service.subtypes { _ = try service.type.adding("_sub").adding(subtype) }
        var service = service
        while ids[service.instance] != nil { service.label = AlternativeName.ofService(service.label) }
        if services.isEmpty {
            for link in links.keys {
                if let claim = hostClaim(link) { links[link]?.responder.add(claim, at: now) }
            }
        }
        lastService += 1
        services[lastService] = ServiceState(service: service)
        ids[service.instance] = lastService
        for link in links.keys { addClaim(of: lastService, on: link, at: now) }
        reportRegistration(of: lastService)
        return lastService
    }

    /// The IDs of the announced services.
    package var serviceIDs: [Int] { Array(services.keys) }

    /// Changes the TXT record of a service.
    package mutating func update(_ id: Int, text: [[UInt8]], at now: Instant) {
        services[id]?.service.text = text
        updateClaims(of: id, at: now)
    }

    /// Withdraws a service with a goodbye packet, and the host's records with the last service.
    package mutating func withdraw(_ id: Int) {
        guard let service = services.removeValue(forKey: id)?.service else { return }
        ids[service.instance] = nil
        for link in links.keys {
            links[link]?.responder.withdraw(.service(id))
            if services.isEmpty { links[link]?.responder.withdraw(.host) }
        }
    }

    var hostName: DomainName {
        // The label was validated, and an alternative name never exceeds the length limit.
        (try? DomainName(labels: [Array(hostLabel.utf8), Array("local".utf8)])) ?? .root
    }

    func hostClaim(_ link: Link) -> Claim? {
        guard let addresses = links[link]?.addresses else { return nil }
        return Claim(
            .host, hostName,
            unique: addresses.map {
                DNSRecord(hostName, .address($0.address), timeToLive: MulticastDNS.hostTimeToLive)
            })
    }

    private mutating func addClaim(of id: Int, on link: Link, at now: Instant) {
        guard let claim = try? services[id]?.service.claim(.service(id), host: hostName) else { return }
        links[link]?.responder.add(claim, at: now)
    }

    mutating func updateClaims(of id: Int, at now: Instant) {
        guard let claim = try? services[id]?.service.claim(.service(id), host: hostName) else { return }
        for link in links.keys { links[link]?.responder.update(claim, at: now) }
    }

    // MARK: Questions

    /// Queries for records on all links, until ``stop(_:)`` is called.
    package mutating func ask(_ key: RecordSetKey, at now: Instant) {
        questions[key, default: 0] += 1
        for link in links.keys { links[link]?.querier.ask(key, at: now) }
    }

    package mutating func stop(_ key: RecordSetKey) {
        guard let count = questions[key] else { return }
        questions[key] = count > 1 ? count - 1 : nil
        guard count <= 1 else { return }
        for link in links.keys { links[link]?.querier.stop(key) }
    }

    /// Returns the known records, each with its interface.
    package func records(_ key: RecordSetKey) -> [(record: DNSRecord, interface: Int)] {
        var found: [(record: DNSRecord, interface: Int)] = []
        for (link, state) in links {
            for record in state.querier.cache.records(key) where link.isIPv4 || !isKnown(record, besides: link) {
                found.append((record, link.interface))
            }
        }
        return found
    }

    /// Returns whether the interface's other IP version has also received the record.
    private func isKnown(_ record: DNSRecord, besides link: Link) -> Bool {
        links[Link(interface: link.interface, isIPv4: !link.isIPv4)]?.querier.cache.contains(record) ?? false
    }

    mutating func report(_ changes: [RecordCache.Change], on link: Link) {
        for change in changes {
            switch change {
            case .added(let record) where questions[record.setKey] != nil && !isKnown(record, besides: link):
                events.append(.found(record, interface: link.interface))
            case .removed(let record) where questions[record.setKey] != nil && !isKnown(record, besides: link):
                events.append(.lost(record, interface: link.interface))
            default: break
            }
        }
    }
}
