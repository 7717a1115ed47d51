// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Sends continuous queries on one link, and caches the answers (RFC 6762 sections 5 and 7).
struct Querier: Sendable {
    private(set) var cache: RecordCache
    private var questions: [RecordSetKey: Question] = [:]
    private var delays: Delays
    private let packing: MessagePacking
    /// Whether this process receives all responses to its port, because no other process shares it.
    private let ownsPort: Bool

    private struct Question {
        var next: Instant
        /// The interval after the next query.
        var interval = Duration.seconds(1)
        var hasBeenSent = false
    }

    private static let maximumInterval = Duration.seconds(3600)

    init(delays: Delays, packing: MessagePacking, ownsPort: Bool) {
        (self.delays, self.packing, self.ownsPort) = (delays, packing, ownsPort)
        cache = RecordCache(delays: delays)
    }

    var nextWake: Instant? {
        [questions.values.lazy.map(\.next).min(), cache.nextWake].compactMap(\.self).min()
    }

    /// Starts a continuous query after 20 to 120 ms (section 5.2), or later if a complete answer is cached.
    mutating func ask(_ key: RecordSetKey, at now: Instant) {
        guard questions[key] == nil else { return }
        let delay = cache.hasUnique(key) ? Self.maximumInterval : delays.milliseconds(20...120)
        questions[key] = Question(next: now.advanced(by: delay))
    }

    mutating func stop(_ key: RecordSetKey) { questions[key] = nil }

    /// Processes a response.
    ///
    /// Records that answer no question and belong to no cached set are stored only if the message also contains records
    /// that do, so that a flood of them uses no memory.
    mutating func receive(_ response: DNSMessage, at now: Instant) -> [RecordCache.Change] {
        let records = (response.answers + response.additionals).filter { $0.recordClass == 1 && $0.type != .opt }
        guard records.contains(where: { questions[$0.setKey] != nil || cache.hasRecords($0.setKey) }) else { return [] }
        let changes = cache.receive(records, at: now)
        for key in Set(records.map(\.setKey)) where questions[key] != nil && cache.hasUnique(key) {
            questions[key]?.next = now.advanced(by: Self.maximumInterval)
        }
        return changes
    }

    /// Processes another host's query: it may replace a pending query of this host (section 7.3), and may show that a
    /// record is stale (section 10.5).
    mutating func observe(_ query: DNSMessage, at now: Instant) {
        guard !query.flags.contains(.truncated), query.authorities.isEmpty else { return }
        let knownToOther = Dictionary(grouping: query.answers, by: \.setKey)
        for question in query.questions.prefix(64) where !question.prefersUnicast && question.recordClass == 1 {
            let key = RecordSetKey(question.name, question.type)
            let known = knownToOther[key] ?? []
            cache.observe(key, known: Set(known.map(\.data)), at: now)
            guard let own = questions[key], own.next < now.advanced(by: .seconds(1)),
                known.allSatisfy(cache.contains)
            else { continue }
            questions[key]?.hasBeenSent = true
            advance(key, at: now)
        }
    }

    private mutating func advance(_ key: RecordSetKey, at now: Instant) {
        guard var question = questions[key] else { return }
        question.next = now.advanced(by: question.interval)
        question.interval = min(question.interval * 2, Self.maximumInterval)
        questions[key] = question
    }

    /// Returns the queries that are due, and the changes from expired records.
    mutating func processDue(at now: Instant) -> (messages: [OutgoingMessage], changes: [RecordCache.Change]) {
        let (changes, refreshes) = cache.processDue(at: now)
        for case .removed(let record) in changes where questions[record.setKey] != nil && record.flushesCache {
            // The only owner of the name is gone; another host may take the name.
            questions[record.setKey] = Question(next: now, hasBeenSent: true)
        }
        let due = Set(questions.filter { $0.value.next <= now }.keys)
        let asked = due.union(refreshes.filter { questions[$0] != nil })
        let list = asked.map { key in
            DNSQuestion(key.name, key.type, prefersUnicast: ownsPort && questions[key]?.hasBeenSent == false)
        }
        for key in due {
            questions[key]?.hasBeenSent = true
            advance(key, at: now)
        }
        let messages = packing.queries(list) { cache.knownAnswers(RecordSetKey($0.name, $0.type), at: now) }
        return (messages.map { OutgoingMessage(destination: .multicast, bytes: $0) }, changes)
    }

    /// Removes all records, because the link is down.
    mutating func removeAll() -> [RecordCache.Change] { cache.removeAll() }
}
