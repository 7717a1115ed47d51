// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// An entry of a master file with its place, so that it can be changed where it stands.
struct ZoneFileEntry {
    enum Kind {
        case record
        /// A record of a type that is passed over.
        case otherRecord
        case generate
        /// `$TTL`.
        case timeToLive(UInt32)
        case origin
    }

    let kind: Kind
    /// Where its lines stand in the bytes of the file.
    let place: Range<Int>
    /// What its names are relative to; for `$ORIGIN`, what those after it are.
    let origin: DomainName
    /// Where the comment at the end of its last line stands.
    let comment: Range<Int>?
    /// Whose record it is; `nil` for a directive.
    let owner: DomainName?
    /// Whether its line begins with a blank, and not with the owner.
    let continuesOwner: Bool
    let records: [ZoneRecord]
    /// Whether the records' time is on this line, and not that of `$TTL`.
    let hasOwnTime: Bool
    /// Where the serial of an SOA record stands.
    let serial: Range<Int>?

    /// A record for this place, without its time where that is the one of `$TTL`.
    func leavingOutTime(_ record: ZoneRecord) -> ZoneRecord {
        guard !hasOwnTime, record.timeToLive == records.first?.timeToLive else { return record }
        return ZoneRecord(record.owner, record.value)
    }
}
