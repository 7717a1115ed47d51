// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension Responder {
    private static let probes = 3

    /// The time of the next call to ``processDue(at:)``, in the past if a call is already due.
    func nextWake(after now: Instant) -> Instant? {
        guard goodbyes.isEmpty else { return now }
        var times = probing.compactMap { states[$0]?.probing?.next } + announcements.map(\.next)
        if let due = answers.nextDue { times.append(due) }
        return times.min()
    }

    /// Returns the messages that are due.
    mutating func processDue(at now: Instant) -> (messages: [OutgoingMessage], events: [Event]) {
        let events = establish(at: now)
        var messages = packing.probes(takeProbes(at: now)).map {
            OutgoingMessage(destination: .multicast, bytes: $0)
        }
        messages += takeGoodbyes()
        messages += takeAnnouncementsAndAnswers(at: now)
        messages += answers.takeUnicast(at: now).flatMap(unicast)
        return (messages, events)
    }

    /// Establishes names whose three probes were not answered.
    private mutating func establish(at now: Instant) -> [Event] {
        let ready = probing.filter { id in
            states[id]?.probing.map { $0.sent == Self.probes && $0.next <= now } ?? false
        }
        var records: [DNSRecord] = []
        for id in ready {
            states[id]?.probing = nil
            states[id]?.announced = []
            probing.remove(id)
            guard let claim = states[id]?.claim else { continue }
            publish(claim)
            records += claim.records
        }
        announce(records, at: now)
        return ready.map(Event.established)
    }

    private mutating func takeProbes(at now: Instant) -> [(question: DNSQuestion, claimed: [DNSRecord])] {
        probing.compactMap { id in
            guard let state = states[id], let step = state.probing, step.next <= now, step.sent < Self.probes else {
                return nil
            }
            states[id]?.probing = (step.sent + 1, now.advanced(by: .milliseconds(250)))
            return (DNSQuestion(state.claim.name, .any, prefersUnicast: ownsPort), state.claim.claimed)
        }
    }

    private mutating func takeGoodbyes() -> [OutgoingMessage] {
        defer { goodbyes = [] }
        let records = goodbyes.map { record in
            var record = record
            record.timeToLive = 0
            return record
        }
        return packing.responses(records, additionals: []).messages.map {
            OutgoingMessage(destination: .multicast, bytes: $0)
        }
    }

    private mutating func takeAnnouncementsAndAnswers(at now: Instant) -> [OutgoingMessage] {
        var (sent, seen) = ([RecordKey](), Set<RecordKey>())
        for index in announcements.indices where announcements[index].next <= now {
            sent += announcements[index].keys.filter { !wasJustSent($0, at: now) && seen.insert($0).inserted }
            announcements[index].remaining -= 1
            announcements[index].next = now.advanced(by: .seconds(1))
        }
        announcements.removeAll { $0.remaining == 0 }
        let answered = answers.takeMulticast(at: now).filter { seen.insert($0).inserted }
        // An announcement is complete; only an answer needs additional records.
        let added = additionals(to: answered).filter { !seen.contains($0) && !wasJustSent($0, at: now) }
        let (messages, records) = packing.responses(
            (sent + answered).compactMap { entries[$0]?.record }, additionals: added.compactMap { entries[$0]?.record })
        for key in sent + answered + records.map(RecordKey.init) { entries[key]?.lastMulticast = now }
        return messages.map { OutgoingMessage(destination: .multicast, bytes: $0) }
    }

    /// Returns whether the record was multicast within the last second, because it must not be sent again so soon
    /// (section 6).
    private func wasJustSent(_ key: RecordKey, at now: Instant) -> Bool {
        entries[key]?.lastMulticast.map { $0.advanced(by: .seconds(1)) > now } ?? false
    }

    private func unicast(_ querier: Endpoint, _ reply: PendingAnswers.Unicast) -> [OutgoingMessage] {
        func records(_ keys: [RecordKey]) -> [DNSRecord] {
            keys.compactMap { entries[$0]?.record }.map { record in
                guard reply.legacy != nil else { return record }
                // A legacy querier does not know the cache-flush bit, and would cache the record for too long (section
                // 6.7).
                var record = record
                (record.flushesCache, record.timeToLive) = (false, min(record.timeToLive, 10))
                return record
            }
        }
        let answers = records(reply.keys)
        guard !answers.isEmpty else { return [] }
        let additionals = records(additionals(to: reply.keys).filter { reply.legacy == nil || $0.data.type != .nsec })
        return packing.responses(
            answers, additionals: additionals, id: reply.legacy?.id ?? 0, questions: reply.legacy?.questions ?? []
        ).messages.map { OutgoingMessage(destination: .unicast(querier), bytes: $0) }
    }
}
