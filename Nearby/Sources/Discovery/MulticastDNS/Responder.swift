// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Claims names on one link and answers queries for them (RFC 6762 sections 6 to 10).
struct Responder: Sendable {
    /// A change in the state of a claim.
    enum Event: Hashable {
        /// The name belongs to this host and is being announced.
        case established(Claim.ID)
        /// Another host owns the name. While probing, another name must be chosen; afterwards the name is probed for
        /// again (section 9).
        case conflict(Claim.ID, whileProbing: Bool)
    }

    struct State: Sendable {
        var claim: Claim
        /// The number of probes sent and the time of the next step; `nil` once the name is established.
        var probing: (sent: Int, next: Instant)?
        /// The records announced before the name had to be probed for again.
        var announced: [DNSRecord] = []
    }

    /// A record that this host serves.
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
    /// Whether this process receives all responses to its port, because no other process shares it.
    let ownsPort: Bool
    var states: [Claim.ID: State] = [:]
    private(set) var ids: [DomainName: Claim.ID] = [:]
    /// The claims in the probing state.
    var probing: Set<Claim.ID> = []
    /// The time at which new claims start probing together.
    private var nextStart: Instant?
    /// The records of established claims.
    var entries: [RecordKey: Entry] = [:]
    private(set) var keys: [DomainName: [RecordKey]] = [:]
    var answers = PendingAnswers()
    var announcements: [Announcement] = []
    var goodbyes: [DNSRecord] = []
    /// The records that were replaced, with the time until which they may still be received from the link.
    private var replacedRecords: [RecordKey: Instant] = [:]

    init(delays: Delays, packing: MessagePacking, ownsPort: Bool) {
        (self.delays, self.packing, self.ownsPort) = (delays, packing, ownsPort)
    }

    func isEstablished(_ id: Claim.ID) -> Bool { states[id].map { $0.probing == nil } ?? false }

    /// Starts probing for a name after a random delay of up to 250 ms (section 8.1), together with other claims that
    /// have not started.
    mutating func add(_ claim: Claim, at now: Instant, delay: Duration = .zero) {
        var start = now.advanced(by: delay + delays.milliseconds(0...250))
        if delay == .zero {
            if let nextStart, nextStart >= now { start = nextStart } else { nextStart = start }
        }
        states[claim.id] = State(claim: claim, probing: (0, start))
        ids[claim.name] = claim.id
        probing.insert(claim.id)
    }

    /// Probes again for the name of a claim, because another host answers for it (section 9).
    mutating func restart(_ id: Claim.ID, at now: Instant, delay: Duration) {
        guard let state = states[id] else { return }
        let announced = state.announced + retract(state.claim.records, of: id)
        add(state.claim, at: now, delay: delay)
        states[id]?.announced = announced
    }

    /// Withdraws a claim with a goodbye packet, even if its name is being probed for again.
    mutating func withdraw(_ id: Claim.ID) {
        goodbyes += states[id]?.announced ?? []
        remove(id)
    }

    /// Removes a claim with a goodbye packet for the announced records (section 10.1).
    mutating func remove(_ id: Claim.ID) {
        guard let claim = states.removeValue(forKey: id)?.claim else { return }
        if ids[claim.name] == id { ids[claim.name] = nil }
        probing.remove(id)
        goodbyes += retract(claim.records, of: id)
    }

    /// Changes the records of a claim whose name is unchanged (section 8.4).
    mutating func update(_ claim: Claim, at now: Instant) {
        guard let state = states[claim.id], state.claim.name == claim.name else {
            remove(claim.id)
            return add(claim, at: now)
        }
        states[claim.id]?.claim = claim
        guard state.probing == nil else { return }
        let (old, new) = (Set(state.claim.records.map(RecordKey.init)), Set(claim.records.map(RecordKey.init)))
        let gone = retract(state.claim.records.filter { !new.contains(RecordKey($0)) }, of: claim.id)
        // A set that is announced again replaces the old set without a goodbye packet.
        let sets = Set(claim.unique.map(\.setKey))
        replacedRecords = replacedRecords.filter { $0.value > now }
        for record in gone { replacedRecords[RecordKey(record)] = now.advanced(by: .seconds(10)) }
        goodbyes += gone.filter { !$0.flushesCache || !sets.contains($0.setKey) }
        publish(claim)
        let changed = Set(claim.records.filter { !old.contains(RecordKey($0)) }.map(\.setKey))
        announce(claim.records.filter { changed.contains($0.setKey) }, at: now)
    }

    /// Returns whether this host sent the record before replacing it.
    func isFormer(_ record: DNSRecord, at now: Instant) -> Bool {
        replacedRecords[RecordKey(record)].map { $0 > now } ?? false
    }

    /// Adds the records of a claim to the records that this host serves.
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

    /// - Returns: The records that no other claim shares.
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
