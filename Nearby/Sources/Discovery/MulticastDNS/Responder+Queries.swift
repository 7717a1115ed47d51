// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension Responder {
    /// The maximum number of questions answered in one message.
    private static let maximumQuestionCount = 256

    /// Processes a query (RFC 6762 section 6).
    ///
    /// A querier on this host may share the port with this process, so a unicast answer could be delivered to this
    /// process instead.
    mutating func receive(
        query: DNSMessage, from querier: Endpoint, isOfThisHost: Bool, ownAddresses: Set<IPAddress>, at now: Instant
    ) {
        if !query.authorities.isEmpty { breakTies(with: query.authorities, ownAddresses: ownAddresses, at: now) }
        var known: [RecordKey: UInt32] = [:]
        for answer in query.answers { known[RecordKey(answer)] = answer.timeToLive }
        if query.questions.isEmpty {
            for key in known.keys where isKnown(key, known) { answers.suppress(key, for: querier) }
            return
        }
        let isProbe = !query.authorities.isEmpty
        var (toAll, toOne) = ([RecordKey](), [RecordKey]())
        let questions = Set(query.questions.prefix(Self.maximumQuestionCount))
        for question in questions where question.recordClass == 1 || question.recordClass == 255 {
            for key in found(question) where !isKnown(key, known) {
                let alone = question.prefersUnicast && !isOfThisHost
                if querier.isLegacy || alone && (isProbe || wasRecentlyMulticast(key, at: now)) { toOne.append(key) }
                if !querier.isLegacy, !alone || !wasRecentlyMulticast(key, at: now) { toAll.append(key) }
            }
        }
        let wait = wait(query, toAll + toOne, isLegacy: querier.isLegacy)
        for key in toAll {
            let rest = isProbe ? Duration.milliseconds(250) : .seconds(1)
            let allowed = max(now, entries[key]?.lastMulticast?.advanced(by: rest) ?? now)
            let due = max(allowed, now.advanced(by: wait))
            answers.add(
                key,
                .init(
                    earliest: query.flags.contains(.truncated) ? due : allowed, due: due,
                    queriers: [querier.address]))
        }
        guard !toOne.isEmpty else { return }
        answers.add(
            toOne, to: querier,
            .init(
                due: now.advanced(by: wait), keys: toOne, legacy: querier.isLegacy ? (query.id, query.questions) : nil))
    }

    /// Returns the delay of the answer: none if the records are unique to this host, more if other hosts may also
    /// answer, and most if further known answers follow.
    private mutating func wait(_ query: DNSMessage, _ keys: [RecordKey], isLegacy: Bool) -> Duration {
        if isLegacy || !query.authorities.isEmpty { return .zero }
        if query.flags.contains(.truncated) { return delays.milliseconds(400...500) }
        return keys.allSatisfy { entries[$0]?.isUnique ?? true } ? .zero : delays.milliseconds(20...120)
    }

    /// Returns whether the querier has the record with at least half of its time to live (section 7.1).
    private func isKnown(_ key: RecordKey, _ known: [RecordKey: UInt32]) -> Bool {
        guard let time = known[key], let entry = entries[key] else { return false }
        return UInt64(time) * 2 >= UInt64(entry.record.timeToLive)
    }

    /// Returns whether the record was multicast within the last quarter of its time to live (section 5.4).
    private func wasRecentlyMulticast(_ key: RecordKey, at now: Instant) -> Bool {
        guard let entry = entries[key], let last = entry.lastMulticast else { return false }
        return last.duration(to: now) * 4 < .seconds(entry.record.timeToLive)
    }

    /// Returns the records that answer the question, or the NSEC record if none exists (section 6.1).
    private func found(_ question: DNSQuestion) -> [RecordKey] {
        let all = keys[question.name] ?? []
        let matching = all.filter { question.type == .any ? $0.data.type != .nsec : $0.data.type == question.type }
        return matching.isEmpty ? all.filter { $0.data.type == .nsec } : matching
    }

    /// Returns the additional records that the querier will need next (RFC 6763 section 12).
    func additionals(to answers: [RecordKey]) -> [RecordKey] {
        var (found, seen) = ([RecordKey](), Set(answers))
        func add(_ name: DomainName, _ types: Set<DNSRecordType>) {
            for key in keys[name] ?? [] where types.contains(key.data.type) && seen.insert(key).inserted {
                found.append(key)
            }
        }
        for key in answers {
            switch key.data {
            case .pointer(let instance): add(instance, [.srv, .txt])
            case .address: add(key.name, [.a, .aaaa])
            default: break
            }
        }
        for case .service(let location) in (answers + found).map(\.data) { add(location.target, [.a, .aaaa]) }
        // For a host with addresses of only one IP version, the NSEC record saves a query for the other version.
        for name in Set((answers + found).filter { [.a, .aaaa].contains($0.data.type) }.map(\.name)) {
            let types = Set((keys[name] ?? []).map(\.data.type))
            if !types.isSuperset(of: [.a, .aaaa]) { add(name, [.nsec]) }
        }
        return found
    }
}
