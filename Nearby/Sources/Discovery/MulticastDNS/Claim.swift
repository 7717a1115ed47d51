// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// A claim of this host to a name on a link, with the records of the name.
struct Claim: Sendable {
    /// The owner of the records: this host or one service.
    enum ID: Hashable, Sendable {
        case host
        case service(Int)
    }

    let id: ID
    let name: DomainName
    /// The unique records of the name, which no other host may have.
    let unique: [DNSRecord]
    /// The shared records, which other hosts may also have.
    let shared: [DNSRecord]

    /// Creates a claim, and adds an NSEC record that lists the record types of the name (RFC 6762 section 6.1).
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

    /// The records to put into a probe: the unique records without the NSEC record.
    var claimed: [DNSRecord] {
        unique.filter { $0.type != .nsec }.map { record in
            var record = record
            record.flushesCache = false
            return record
        }
    }

    /// Breaks the tie between two hosts that probe for a name at the same time (RFC 6762 section 8.2).
    ///
    /// - Returns: Whether this host wins, because its records sort later by class, type and bytes; `nil` if the records
    ///   are equal.
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
