// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSMessages
package import DNSNames

/// Multicast DNS on all links of a host (RFC 6762), without sockets and clocks: packets and times come in, packets and events go out.
package struct MulticastDNSEngine: Sendable {
    package enum Event: Hashable, Sendable {
        /// A record that was asked for has come, on an interface.
        case found(DNSRecord, interface: Int)
        /// It has expired, or its owner said goodbye.
        case lost(DNSRecord, interface: Int)
        /// A service is announced on all links, with this label.
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
    /// The services by their names.
    var ids: [AnnouncedService.Instance: Int] = [:]
    private var lastService = 0
    /// How many ask for a set of records.
    private var questions: [RecordSetKey: Int] = [:]
    /// Addresses that this host had on some link, and until when they count as its own.
    private var formerAddresses: [IPAddress: Instant] = [:]
    var events: [Event] = []
    private var delays: Delays
    /// Whether no other process shares the port.
    package let ownsPort: Bool

    /// A host whose name is a label below `local.`, and which may share the port with other processes.
    ///
    /// An answer to a shared port may reach another process.
    package init(hostLabel: String, delays: Delays, ownsPort: Bool = true) {
        (self.hostLabel, self.delays, self.ownsPort) = (hostLabel, delays, ownsPort)
    }

    // MARK: Links

    /// Adds a link, or takes its new addresses.
    ///
    /// The addresses are those of the interface, of both protocols; the length is that of messages without the headers of UDP and IP.
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

    /// Removes a link that is down, with all that was known of it.
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

    /// Starts to announce a service; its label changes where another one on this host has it already.
    ///
    /// - Returns: The service's number.
    /// - Throws: ``DomainNameError`` where its name is no domain name.
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

    /// The numbers of the services that are announced.
    package var serviceIDs: [Int] { Array(services.keys) }

    /// Changes the text of a service.
    package mutating func update(_ id: Int, text: [[UInt8]], at now: Instant) {
        services[id]?.service.text = text
        updateClaims(of: id, at: now)
    }

    /// Ends a service with a goodbye, and with the last one the host.
    package mutating func withdraw(_ id: Int) {
        guard let service = services.removeValue(forKey: id)?.service else { return }
        ids[service.instance] = nil
        for link in links.keys {
            links[link]?.responder.withdraw(.service(id))
            if services.isEmpty { links[link]?.responder.withdraw(.host) }
        }
    }

    var hostName: DomainName {
        // The label was checked, or the next name to it, which is not longer than allowed.
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

    /// Asks for records on all links, until ``stop(_:)``.
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

    /// The records that are known, each with its interface.
    package func records(_ key: RecordSetKey) -> [(record: DNSRecord, interface: Int)] {
        var found: [(record: DNSRecord, interface: Int)] = []
        for (link, state) in links {
            for record in state.querier.cache.records(key) where link.isIPv4 || !isKnown(record, besides: link) {
                found.append((record, link.interface))
            }
        }
        return found
    }

    /// Whether the interface's other protocol has brought the record too.
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
