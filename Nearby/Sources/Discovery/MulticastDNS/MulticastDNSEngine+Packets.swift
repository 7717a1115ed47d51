// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension MulticastDNSEngine {
    /// Processes a received packet.
    ///
    /// Packets that are not valid messages, did not come from the link, or exceed the link's budget are ignored (RFC
    /// 6762 sections 6, 11, 18).
    package mutating func receive(_ bytes: [UInt8], from source: PacketSource, at now: Instant) {
        guard var state = links[source.link], state.budget.spend(at: now) else { return }
        links[source.link]?.budget = state.budget
        guard source.isOnLink(state.addresses), let message = try? DNSMessage(decoding: bytes),
            message.operation == 0, message.responseCode == .noError
        else { return }
        let own = ownAddresses(at: now)
        guard message.flags.contains(.response) else {
            let isOfThisHost = own.contains(source.endpoint.address)
            state.responder.receive(
                query: message, from: source.endpoint, isOfThisHost: isOfThisHost, ownAddresses: own, at: now)
            if !isOfThisHost, !source.endpoint.isLegacy { state.querier.observe(message, at: now) }
            links[source.link] = state
            return
        }
        guard !source.endpoint.isLegacy else { return }
        let changes = state.querier.receive(message, at: now)
        let conflicts = state.responder.receive(response: message, ownAddresses: own, at: now)
        links[source.link] = state
        report(changes, on: source.link)
        for case .conflict(let id, let whileProbing) in conflicts {
            resolve(id, on: source.link, whileProbing: whileProbing, at: now)
        }
    }

    /// Returns the packets that are due, and the events since the last call.
    package mutating func processDue(at now: Instant) -> (
        packets: [(link: Link, message: OutgoingMessage)], events: [Event]
    ) {
        var packets: [(link: Link, message: OutgoingMessage)] = []
        for link in links.keys {
            guard var state = links[link] else { continue }
            let answered = state.responder.processDue(at: now)
            let asked = state.querier.processDue(at: now)
            links[link] = state
            packets += (answered.messages + asked.messages).map { (link, $0) }
            report(asked.changes, on: link)
            for case .established(.service(let id)) in answered.events { reportRegistration(of: id) }
        }
        defer { events = [] }
        return (packets, events)
    }

    /// The time of the next call to ``processDue(at:)``, in the past if a call is already due.
    package func nextWake(after now: Instant) -> Instant? {
        guard events.isEmpty else { return now }
        return links.values.flatMap { [$0.responder.nextWake(after: now), $0.querier.nextWake] }.compactMap(\.self)
            .min()
    }

    /// Resolves a conflict: chooses another name, or probes again for an established name (RFC 6762 section 9).
    private mutating func resolve(_ id: Claim.ID, on link: Link, whileProbing: Bool, at now: Instant) {
        let delay: Duration
        switch id {
        case .host: delay = hostConflicts.delay(at: now)
        case .service(let number): delay = services[number]?.conflicts.delay(at: now) ?? .zero
        }
        guard whileProbing else {
            links[link]?.responder.restart(id, at: now, delay: delay)
            return
        }
        switch id {
        case .host:
            hostLabel = AlternativeName.ofHost(hostLabel)
            for link in links.keys {
                guard let claim = hostClaim(link) else { continue }
                links[link]?.responder.remove(.host)
                links[link]?.responder.add(claim, at: now, delay: delay)
            }
            for number in services.keys { updateClaims(of: number, at: now) }
        case .service(let number):
            guard var service = services[number]?.service else { return }
            ids[service.instance] = nil
            repeat { service.label = AlternativeName.ofService(service.label) } while ids[service.instance] != nil
            ids[service.instance] = number
            services[number]?.service = service
            guard let claim = try? service.claim(id, host: hostName) else { return }
            for link in links.keys {
                links[link]?.responder.remove(id)
                links[link]?.responder.add(claim, at: now, delay: delay)
            }
        }
    }

    /// Reports a service once its current name is established on all links.
    mutating func reportRegistration(of id: Int) {
        guard let state = services[id], state.registeredLabel != state.service.label,
            links.values.allSatisfy({ $0.responder.isEstablished(.service(id)) })
        else { return }
        services[id]?.registeredLabel = state.service.label
        events.append(.registered(id, label: state.service.label))
    }
}

/// Slows down probing after 15 conflicts within 10 seconds (RFC 6762 section 8.1).
struct ConflictRate: Sendable {
    private var times: [Instant] = []

    mutating func delay(at now: Instant) -> Duration {
        times = (times.suffix(14) + [now])
        guard let first = times.first, times.count == 15, first.duration(to: now) < .seconds(10) else { return .zero }
        return .seconds(5)
    }
}
