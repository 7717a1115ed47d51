// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension Responder {
    /// Compares the records of another host's probes with the records that this host is probing for (RFC 6762 section
    /// 8.2).
    mutating func breakTies(with authorities: [DNSRecord], ownAddresses: Set<IPAddress>, at now: Instant) {
        for (name, others) in Dictionary(grouping: authorities, by: \.name) {
            guard let id = ids[name], let state = states[id], state.probing != nil,
                !others.allSatisfy({ isOwn($0, ownAddresses) }), state.claim.wins(against: others) == false
            else { continue }
            states[id]?.probing = (0, now.advanced(by: .seconds(1)))
        }
    }

    /// Processes a response from another host, or from another program on this host.
    ///
    /// `ownAddresses` contains the addresses of all interfaces, because two interfaces may be on the same network.
    mutating func receive(response: DNSMessage, ownAddresses: Set<IPAddress>, at now: Instant) -> [Event] {
        var events: [Event] = []
        for record in response.answers + response.additionals where record.recordClass == 1 {
            let key = RecordKey(record)
            if let entry = entries[key] {
                receive(record, sameAs: entry, key, at: now)
            } else if !isFormer(record, at: now), let event = conflict(record, ownAddresses), !events.contains(event) {
                events.append(event)
            }
        }
        return events
    }

    private mutating func receive(_ record: DNSRecord, sameAs entry: Entry, _ key: RecordKey, at now: Instant) {
        if record.timeToLive >= entry.record.timeToLive { return answers.suppress(key) }
        // Another host announces the record with less than half of this host's time to live (section 6.6).
        guard UInt64(record.timeToLive) * 2 < UInt64(entry.record.timeToLive) else { return }
        let allowed = max(now, entry.lastMulticast?.advanced(by: .seconds(1)) ?? now)
        let due = max(allowed, now.advanced(by: delays.milliseconds(20...120)))
        answers.add(key, .init(earliest: allowed, due: due, queriers: []))
    }

    private func conflict(_ record: DNSRecord, _ ownAddresses: Set<IPAddress>) -> Event? {
        guard record.timeToLive > 0, record.type != .nsec, let id = ids[record.name], let state = states[id],
            !isOwn(record, ownAddresses)
        else { return nil }
        guard state.probing == nil else {
            let isSame = state.claim.unique.contains { $0.data == record.data }
            return isSame ? nil : .conflict(id, whileProbing: true)
        }
        return state.claim.unique.contains { $0.type == record.type } ? .conflict(id, whileProbing: false) : nil
    }

    private func isOwn(_ record: DNSRecord, _ ownAddresses: Set<IPAddress>) -> Bool {
        guard case .address(let address) = record.data else { return false }
        return ownAddresses.contains(address)
    }
}
