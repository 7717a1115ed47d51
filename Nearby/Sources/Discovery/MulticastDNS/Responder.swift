// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Claims names on one link and answers for them (RFC 6762 sections 6 to 10).
struct Responder: Sendable {
    /// What happened to a claim.
    enum Event: Hashable {
        /// The name is this host's, and is being announced.
        case established(Claim.ID)
        /// Another host has the name; while probing another one must be chosen, afterwards it is probed for again (section 9).
        case conflict(Claim.ID, whileProbing: Bool)
    }

    struct State: Sendable {
        var claim: Claim
        /// How many probes were sent, and when the next step is; `nil` once the name is established.
        var probing: (sent: Int, next: Instant)?
        /// What was announced before the name was probed for again.
        var announced: [DNSRecord] = []
    }

    /// A record that this host answers with.
    struct Entry: Sendable {
        let record: DNSRecord
        let isUnique: Bool
        var owners: Set<Claim.ID>
        var lastMulticast: Instant?
    }

    struct Announcement: Sendable {
        let keys: [RecordKey]
        var remaining: Int
        var next: Instant
    }

    var delays: Delays
    let packing: MessagePacking
    /// Whether answers to this port reach this process, because no other one shares it.
    let ownsPort: Bool
    var states: [Claim.ID: State] = [:]
    private(set) var ids: [DomainName: Claim.ID] = [:]
    /// The claims that are being probed for.
    var probing: Set<Claim.ID> = []
    /// When the claims that have not sent a probe yet start to.
    private var nextStart: Instant?
    /// The records of established claims.
    var entries: [RecordKey: Entry] = [:]
    private(set) var keys: [DomainName: [RecordKey]] = [:]
    var answers = PendingAnswers()
    var announcements: [Announcement] = []
    var goodbyes: [DNSRecord] = []
    /// What this host said until it was changed, and until when that may still come back from the link.
    private var former: [RecordKey: Instant] = [:]

    init(delays: Delays, packing: MessagePacking, ownsPort: Bool) {
        (self.delays, self.packing, self.ownsPort) = (delays, packing, ownsPort)
    }

    func isEstablished(_ id: Claim.ID) -> Bool { states[id].map { $0.probing == nil } ?? false }

    /// Probes for a name from a random time within 250 ms on (section 8.1), together with others that have not started.
    mutating func add(_ claim: Claim, at now: Instant, delay: Duration = .zero) {
        var start = now.advanced(by: delay + delays.milliseconds(0...250))
        if delay == .zero {
            if let nextStart, nextStart >= now { start = nextStart } else { nextStart = start }
        }
        states[claim.id] = State(claim: claim, probing: (0, start))
        ids[claim.name] = claim.id
        probing.insert(claim.id)
    }

    /// Probes again for the name that a claim has, because another host answers for it (section 9).
    mutating func restart(_ id: Claim.ID, at now: Instant, delay: Duration) {
        guard let state = states[id] else { return }
        let announced = state.announced + retract(state.claim.records, of: id)
        add(state.claim, at: now, delay: delay)
        states[id]?.announced = announced
    }

    /// Gives a claim up, with a goodbye also where its name is being probed for again.
    mutating func withdraw(_ id: Claim.ID) {
        goodbyes += states[id]?.announced ?? []
        remove(id)
    }

    /// Gives a claim up, with a goodbye for what was announced (section 10.1).
    mutating func remove(_ id: Claim.ID) {
        guard let claim = states.removeValue(forKey: id)?.claim else { return }
        if ids[claim.name] == id { ids[claim.name] = nil }
        probing.remove(id)
        goodbyes += retract(claim.records, of: id)
    }

    /// Changes the records of a claim whose name stays (section 8.4).
    mutating func update(_ claim: Claim, at now: Instant) {
        guard let state = states[claim.id], state.claim.name == claim.name else {
            remove(claim.id)
            return add(claim, at: now)
        }
        states[claim.id]?.claim = claim
        guard state.probing == nil else { return }
        let (old, new) = (Set(state.claim.records.map(RecordKey.init)), Set(claim.records.map(RecordKey.init)))
        let gone = retract(state.claim.records.filter { !new.contains(RecordKey($0)) }, of: claim.id)
        // A set that is announced anew replaces the old one without a goodbye.
        let sets = Set(claim.unique.map(\.setKey))
        former = former.filter { $0.value > now }
        for record in gone { former[RecordKey(record)] = now.advanced(by: .seconds(10)) }
        goodbyes += gone.filter { !$0.flushesCache || !sets.contains($0.setKey) }
        publish(claim)
        let changed = Set(claim.records.filter { !old.contains(RecordKey($0)) }.map(\.setKey))
        announce(claim.records.filter { changed.contains($0.setKey) }, at: now)
    }

    /// Whether a record is one that this host has sent and changed since.
    func isFormer(_ record: DNSRecord, at now: Instant) -> Bool {
        former[RecordKey(record)].map { $0 > now } ?? false
    }

    /// Makes the records of a claim ready for answers.
    mutating func publish(_ claim: Claim) {
        for record in claim.records {
            let key = RecordKey(record)
            if entries[key] == nil {
                entries[key] = Entry(record: record, isUnique: record.flushesCache, owners: [])
                keys[record.name, default: []].append(key)
            }
            entries[key]?.owners.insert(claim.id)
        }
    }

    mutating func announce(_ records: [DNSRecord], at now: Instant) {
        let keys = records.filter { $0.type != .nsec }.map(RecordKey.init)
        if !keys.isEmpty { announcements.append(Announcement(keys: keys, remaining: 2, next: now)) }
    }

    /// - Returns: The records that no other claim has.
    private mutating func retract(_ records: [DNSRecord], of id: Claim.ID) -> [DNSRecord] {
        records.filter { record in
            let key = RecordKey(record)
            guard entries[key]?.owners.remove(id) != nil, entries[key]?.owners.isEmpty ?? false else { return false }
            entries[key] = nil
            keys[record.name]?.removeAll { $0 == key }
            if keys[record.name]?.isEmpty ?? false { keys[record.name] = nil }
            return record.type != .nsec
        }
    }
}
