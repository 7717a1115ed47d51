// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// Asks on one link, again and again, and keeps the answers (RFC 6762 sections 5 and 7).
struct Querier: Sendable {
    private(set) var cache: RecordCache
    private var questions: [RecordSetKey: Question] = [:]
    private var delays: Delays
    private let packing: MessagePacking
    /// Whether answers to this port reach this process, because no other one shares it.
    private let ownsPort: Bool

    private struct Question {
        var next: Instant
        /// The time until the question after the next one.
        var interval = Duration.seconds(1)
        var hasBeenSent = false
    }

    private static let longestInterval = Duration.seconds(3600)

    init(delays: Delays, packing: MessagePacking, ownsPort: Bool) {
        (self.delays, self.packing, self.ownsPort) = (delays, packing, ownsPort)
        cache = RecordCache(delays: delays)
    }

    var nextWake: Instant? {
        [questions.values.lazy.map(\.next).min(), cache.nextWake].compactMap(\.self).min()
    }

    /// Starts to ask, after 20 to 120 ms (section 5.2), or when the answer that is known gets old.
    mutating func ask(_ key: RecordSetKey, at now: Instant) {
        guard questions[key] == nil else { return }
        let delay = cache.hasUnique(key) ? Self.longestInterval : delays.milliseconds(20...120)
        questions[key] = Question(next: now.advanced(by: delay))
    }

    mutating func stop(_ key: RecordSetKey) { questions[key] = nil }

    /// Takes a response.
    ///
    /// Records that answer no question, and are of no set that is known, are kept only where others of the message are, so that a flood of them costs no memory.
    mutating func receive(_ response: DNSMessage, at now: Instant) -> [RecordCache.Change] {
        let records = (response.answers + response.additionals).filter { $0.recordClass == 1 && $0.type != .opt }
        guard records.contains(where: { questions[$0.setKey] != nil || cache.hasRecords($0.setKey) }) else { return [] }
        let changes = cache.receive(records, at: now)
        for key in Set(records.map(\.setKey)) where questions[key] != nil && cache.hasUnique(key) {
            questions[key]?.next = now.advanced(by: Self.longestInterval)
        }
        return changes
    }

    /// Takes a query of another host: it may ask what this one was about to ask (section 7.3), and show that a record is stale (section 10.5).
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
        question.interval = min(question.interval * 2, Self.longestInterval)
        questions[key] = question
    }

    /// The queries that are due, and what has expired.
    mutating func pass(at now: Instant) -> (messages: [OutgoingMessage], changes: [RecordCache.Change]) {
        let (changes, refreshes) = cache.pass(at: now)
        for case .removed(let record) in changes where questions[record.setKey] != nil && record.flushesCache {
            // The only owner of the name has gone; another may come.
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

    /// Forgets all records, because the link is gone.
    mutating func removeAll() -> [RecordCache.Change] { cache.removeAll() }
}
