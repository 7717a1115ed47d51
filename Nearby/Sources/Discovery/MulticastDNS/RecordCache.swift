// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSMessages
import DNSNames
import HeapModule

/// The records that other hosts on a link have sent (RFC 6762 section 10).
///
/// The size is limited. A full cache refuses new records, so that a flood cannot evict known records.
package struct RecordCache: Sendable {
    package struct Limits: Sendable {
        package var records = 40_000
        /// The maximum number of records of one name and type.
        package var recordsOfSet = 12_000
        /// The maximum number of records of a unique set, whose records have the cache-flush bit.
        package var recordsOfUniqueSet = 128
        package init() {}
    }

    package enum Change: Hashable, Sendable {
        case added(DNSRecord)
        case removed(DNSRecord)
    }

    package private(set) var count = 0
    private var sets: [RecordSetKey: RecordSet] = [:]
    private var wakes = Heap<Wake>()
    private var delays: Delays
    private let limits: Limits

    package init(delays: Delays, limits: Limits = Limits()) { (self.delays, self.limits) = (delays, limits) }

    /// The next time at which ``processDue(at:)`` must be called, although nothing may be due then.
    package var nextWake: Instant? { wakes.min?.at }

    package func records(_ key: RecordSetKey) -> [DNSRecord] { sets[key]?.entries.values.map(\.record) ?? [] }

    func hasRecords(_ key: RecordSetKey) -> Bool { sets[key] != nil }

    func contains(_ record: DNSRecord) -> Bool { sets[record.setKey]?.entries[record.data] != nil }

    /// Returns whether a complete answer is known, because the set is unique.
    func hasUnique(_ key: RecordSetKey) -> Bool { sets[key]?.entries.values.first?.record.flushesCache ?? false }

    /// Returns the known answers to list in a query, with the remaining time to live (RFC 6762 section 7.1).
    func knownAnswers(_ key: RecordSetKey, at now: Instant) -> [DNSRecord] {
        sets[key]?.entries.values.compactMap { entry in
            let left = now.duration(to: entry.expires)
            guard left * 2 > entry.lifetime else { return nil }
            var record = entry.record
            (record.timeToLive, record.flushesCache) = (UInt32(clamping: left.components.seconds), false)
            return record
        } ?? []
    }

    /// Stores the records of a response.
    package mutating func receive(_ records: [DNSRecord], at now: Instant) -> [Change] {
        var changes: [Change] = []
        for record in records { insert(record, at: now).map { changes.append($0) } }
        // A replaced set retains records received within the last second, because its sender may need several messages
        // (section 10.2).
        for key in Set(records.filter(\.flushesCache).map(\.setKey)) {
            guard let set = sets[key], set.entries.count <= limits.recordsOfUniqueSet else { continue }
            for (data, entry) in set.entries where entry.received.advanced(by: .seconds(1)) < now {
                expire(key, data, at: now.advanced(by: .seconds(1)))
            }
        }
        return changes
    }

    private mutating func insert(_ record: DNSRecord, at now: Instant) -> Change? {
        let key = record.setKey
        guard record.timeToLive > 0 else {
            // Other hosts may have the same record, and have one second to announce it (sections 6.6 and 10.1).
            expire(key, record.data, at: now.advanced(by: .seconds(1)))
            return nil
        }
        let old = sets[key]?.entries[record.data]
        if old == nil {
            let limit = record.flushesCache ? limits.recordsOfUniqueSet : limits.recordsOfSet
            guard count < limits.records, sets[key]?.entries.count ?? 0 < limit else { return nil }
            count += 1
        }
        var entry = Entry(record: record, received: now)
        entry.nextCheck(&delays)
        sets[key, default: RecordSet()].entries[record.data] = entry
        schedule(key, record.data, entry)
        return old == nil ? .added(record) : nil
    }

    private mutating func expire(_ key: RecordSetKey, _ data: DNSRecordData, at time: Instant) {
        guard var entry = sets[key]?.entries[data], entry.expires > time else { return }
        (entry.expires, entry.wake, entry.checks) = (time, time, Entry.shares.count)
        sets[key]?.entries[data] = entry
        schedule(key, data, entry)
    }

    private mutating func schedule(_ key: RecordSetKey, _ data: DNSRecordData, _ entry: Entry) {
        wakes.insert(Wake(at: entry.next, key: key, data: data))
        // Each refresh leaves an outdated entry in the heap.
        guard wakes.count > 2 * count + 64 else { return }
        wakes = Heap(sets.flatMap { key, set in set.entries.map { Wake(at: $1.next, key: key, data: $0) } })
    }

    /// Processes another host's query for a set, with its known answers (RFC 6762 section 10.5: passive observation
    /// of failures).
    mutating func observe(_ key: RecordSetKey, known: Set<DNSRecordData>, at now: Instant) {
        guard let set = sets[key], (set.observed.map { $0.advanced(by: .milliseconds(500)) <= now } ?? true) else {
            return
        }
        sets[key]?.observed = now
        for (data, var entry) in set.entries where !known.contains(data) {
            entry.unanswered += 1
            if entry.unanswered == 1 { entry.suspectedUntil = now.advanced(by: .seconds(10)) }
            sets[key]?.entries[data] = entry
            if entry.unanswered == 1 { schedule(key, data, entry) }
        }
    }

    /// Removes expired records.
    ///
    /// - Returns: The changes, and the sets to query again, because a record has reached 80, 85, 90 or 95 % of its
    ///   lifetime (section 5.2).
    mutating func processDue(at now: Instant) -> (changes: [Change], refreshes: Set<RecordSetKey>) {
        var (changes, refreshes) = ([Change](), Set<RecordSetKey>())
        while let wake = wakes.min, wake.at <= now {
            wakes.removeMin()
            guard var entry = sets[wake.key]?.entries[wake.data] else { continue }
            if entry.expires <= now || entry.hasFailed(at: now) {
                changes.append(.removed(entry.record))
                remove(wake.key, wake.data)
            } else if entry.wake == wake.at {
                refreshes.insert(wake.key)
                entry.nextCheck(&delays)
                sets[wake.key]?.entries[wake.data] = entry
                schedule(wake.key, wake.data, entry)
            } else if entry.suspectedUntil == wake.at {
                (entry.unanswered, entry.suspectedUntil) = (0, nil)
                sets[wake.key]?.entries[wake.data] = entry
                schedule(wake.key, wake.data, entry)
            }
        }
        return (changes, refreshes)
    }

    /// Removes all records, because the link is down.
    mutating func removeAll() -> [Change] {
        defer { (sets, wakes, count) = ([:], Heap(), 0) }
        return sets.values.flatMap { $0.entries.values.map { .removed($0.record) } }
    }

    private mutating func remove(_ key: RecordSetKey, _ data: DNSRecordData) {
        count -= 1
        sets[key]?.entries[data] = nil
        if sets[key]?.entries.isEmpty ?? false { sets[key] = nil }
    }
}

private struct RecordSet {
    var entries: [DNSRecordData: Entry] = [:]
    /// The time of the last query by another host for the set.
    var observed: Instant?
}

private struct Entry {
    let record: DNSRecord
    let received: Instant
    let lifetime: Duration
    var expires: Instant
    /// The time at which to query again or to remove the record.
    var wake: Instant
    /// The number of refresh times that have passed.
    var checks = 0
    /// The number of unanswered queries of other hosts, and the time ten seconds after the first of them.
    var unanswered = 0
    var suspectedUntil: Instant?

    static let shares = [0.80, 0.85, 0.90, 0.95]
    private static let longest: UInt32 = 86_400

    init(record: DNSRecord, received: Instant) {
        (self.record, self.received) = (record, received)
        lifetime = .seconds(min(record.timeToLive, Self.longest))
        expires = received.advanced(by: lifetime)
        wake = expires
    }

    var next: Instant { suspectedUntil.map { min($0, wake) } ?? wake }

    func hasFailed(at now: Instant) -> Bool { unanswered >= 2 && suspectedUntil.map { $0 <= now } ?? false }

    mutating func nextCheck(_ delays: inout Delays) {
        guard checks < Self.shares.count else {
            wake = expires
            return
        }
        let share = Self.shares[checks] + Double.random(in: 0..<0.02, using: &delays)
        (wake, checks) = (received.advanced(by: lifetime * share), checks + 1)
    }
}

/// A scheduled check of a record; it is obsolete if the record was scheduled for another time since.
private struct Wake: Comparable {
    let at: Instant
    let key: RecordSetKey
    let data: DNSRecordData

    static func < (one: Wake, other: Wake) -> Bool { one.at < other.at }
}
