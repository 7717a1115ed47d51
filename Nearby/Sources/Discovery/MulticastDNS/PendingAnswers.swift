// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Answers that are delayed so that several can be sent together (RFC 6762 sections 6.3 and 6.4).
struct PendingAnswers: Sendable {
    struct Multicast: Sendable {
        /// The earliest time at which the answer may join other answers, and the time at which it must be sent.
        var earliest: Instant
        var due: Instant
        /// The addresses of the queriers; empty if the answer must be sent even if its only querier already knows it.
        var queriers: Set<IPAddress>
    }

    struct Unicast: Sendable {
        var due: Instant
        var keys: [RecordKey]
        /// The identifier and questions to repeat to a querier that does not use port 5353 (section 6.7).
        var legacy: (id: UInt16, questions: [DNSQuestion])?
    }

    private(set) var multicast: [RecordKey: Multicast] = [:]
    private(set) var unicast: [Endpoint: Unicast] = [:]
    private static let maximumQuerierCount = 64

    var nextDue: Instant? {
        [multicast.values.lazy.map(\.due).min(), unicast.values.lazy.map(\.due).min()].compactMap(\.self).min()
    }

    mutating func add(_ key: RecordKey, _ answer: Multicast) {
        guard var old = multicast[key] else {
            multicast[key] = answer
            return
        }
        (old.earliest, old.due) = (min(old.earliest, answer.earliest), min(old.due, answer.due))
        old.queriers = old.queriers.isEmpty || answer.queriers.isEmpty ? [] : old.queriers.union(answer.queriers)
        // With very many queriers, the known answers of a single querier no longer matter.
        if old.queriers.count > Self.maximumQuerierCount { old.queriers = [] }
        multicast[key] = old
    }

    /// Adds answers for one querier; queriers above the limit get no answer.
    mutating func add(_ keys: [RecordKey], to querier: Endpoint, _ answer: Unicast) {
        guard var old = unicast[querier], old.legacy == nil else {
            if unicast.count < Self.maximumQuerierCount, unicast[querier] == nil { unicast[querier] = answer }
            return
        }
        old.keys += keys.filter { !old.keys.contains($0) }
        old.due = min(old.due, answer.due)
        unicast[querier] = old
    }

    /// Suppresses an answer that another host has sent (section 7.4).
    mutating func suppress(_ key: RecordKey) { multicast[key] = nil }

    /// Suppresses an answer that its only querier lists as known in a further message (section 7.2).
    mutating func suppress(_ key: RecordKey, for querier: Endpoint) {
        if multicast[key]?.queriers == [querier.address] { multicast[key] = nil }
        unicast[querier]?.keys.removeAll { $0 == key }
    }

    mutating func takeMulticast(at now: Instant) -> [RecordKey] {
        guard multicast.values.contains(where: { $0.due <= now }) else { return [] }
        let ready = multicast.filter { $0.value.earliest <= now }.sorted { $0.value.due < $1.value.due }.map(\.key)
        for key in ready { multicast[key] = nil }
        return ready
    }

    mutating func takeUnicast(at now: Instant) -> [(Endpoint, Unicast)] {
        let ready = unicast.filter { $0.value.due <= now }
        for endpoint in ready.keys { unicast[endpoint] = nil }
        return ready.map { ($0.key, $0.value) }
    }
}
