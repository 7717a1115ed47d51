// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// What this host wants to be on a link: the owner of a name, and of records that lead there.
struct Claim: Sendable {
    /// The owner of the records; one host or one service.
    enum ID: Hashable, Sendable {
        case host
        case service(Int)
    }

    let id: ID
    let name: DomainName
    /// The records of the name, which no other host may have.
    let unique: [DNSRecord]
    /// Records that other hosts may have too.
    let shared: [DNSRecord]

    /// A claim of a name with its records; one that says which types there are is added (RFC 6762 section 6.1).
    init(_ id: ID, _ name: DomainName, unique: [DNSRecord], shared: [DNSRecord] = []) {
        (self.id, self.name, self.shared) = (id, name, shared)
        let types = Set(unique.map(\.type))
        let denial = DNSRecord(
            name, .nextSecure(name, types: types), timeToLive: unique.first?.timeToLive ?? MulticastDNS.hostTimeToLive)
        self.unique = (unique + (types.isEmpty ? [] : [denial])).map { record in
            var record = record
            record.flushesCache = true
            return record
        }
    }

    var records: [DNSRecord] { unique + shared }

    /// What a probe claims: not the record that says which types there are.
    var claimed: [DNSRecord] {
        unique.filter { $0.type != .nsec }.map { record in
            var record = record
            record.flushesCache = false
            return record
        }
    }

    /// Which of two hosts that probe for a name at the same time gets it (RFC 6762 section 8.2).
    ///
    /// - Returns: Whether this host's records come later, by class, type and bytes; `nil` where they are the same.
    func wins(against others: [DNSRecord]) -> Bool? {
        func order(_ records: [DNSRecord]) -> [[UInt8]] {
            records.map { record in
                [record.recordClass, record.type.rawValue].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
                    + record.data.uncompressed
            }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        let (own, other) = (order(claimed), order(others))
        if own == other { return nil }
        return other.lexicographicallyPrecedes(own) { $0.lexicographicallyPrecedes($1) }
    }
}
