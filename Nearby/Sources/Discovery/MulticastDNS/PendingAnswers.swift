// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Answers that wait until they may be sent, so that several go together (RFC 6762 sections 6.3 and 6.4).
struct PendingAnswers: Sendable {
    struct Multicast: Sendable {
        /// When the answer may be sent with others, and when it must be.
        var earliest: Instant
        var due: Instant
        /// Who asked; empty where the answer is sent for all.
        var askers: Set<IPAddress>
    }

    struct Unicast: Sendable {
        var due: Instant
        var keys: [RecordKey]
        /// What an asker outside of port 5353 gets back (section 6.7).
        var legacy: (id: UInt16, questions: [DNSQuestion])?
    }

    private(set) var multicast: [RecordKey: Multicast] = [:]
    private(set) var unicast: [Endpoint: Unicast] = [:]
    private static let mostAskers = 64

    var nextDue: Instant? {
        [multicast.values.lazy.map(\.due).min(), unicast.values.lazy.map(\.due).min()].compactMap(\.self).min()
    }

    mutating func add(_ key: RecordKey, _ answer: Multicast) {
        guard var old = multicast[key] else {
            multicast[key] = answer
            return
        }
        (old.earliest, old.due) = (min(old.earliest, answer.earliest), min(old.due, answer.due))
        old.askers = old.askers.isEmpty || answer.askers.isEmpty ? [] : old.askers.union(answer.askers)
        // Whether one of very many askers knows the answer does not matter to the others.
        if old.askers.count > Self.mostAskers { old.askers = [] }
        multicast[key] = old
    }

    /// Adds answers for one asker; a flood of askers gets none.
    mutating func add(_ keys: [RecordKey], to asker: Endpoint, _ answer: Unicast) {
        guard var old = unicast[asker], old.legacy == nil else {
            if unicast.count < Self.mostAskers, unicast[asker] == nil { unicast[asker] = answer }
            return
        }
        old.keys += keys.filter { !old.keys.contains($0) }
        old.due = min(old.due, answer.due)
        unicast[asker] = old
    }

    /// Another host has given the answer (section 7.4).
    mutating func suppress(_ key: RecordKey) { multicast[key] = nil }

    /// The only asker says in a further message that it knows the answer (section 7.2).
    mutating func suppress(_ key: RecordKey, for asker: Endpoint) {
        if multicast[key]?.askers == [asker.address] { multicast[key] = nil }
        unicast[asker]?.keys.removeAll { $0 == key }
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
