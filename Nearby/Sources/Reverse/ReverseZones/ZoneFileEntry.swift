// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// An entry of a master file with its position, so that it can be edited in place.
struct ZoneFileEntry {
    enum Kind {
        case record
        /// A record of an unsupported type.
        case otherRecord
        case generate
        /// A `$TTL` directive.
        case timeToLive(UInt32)
        case origin
    }

    let kind: Kind
    /// The byte range of the entry's lines in the file.
    let range: Range<Int>
    /// The origin of the entry's names; for `$ORIGIN`, the new origin.
    let origin: DomainName
    /// The byte range of the comment at the end of the last line.
    let comment: Range<Int>?
    /// The owner of the record; `nil` for a directive.
    let owner: DomainName?
    /// Whether the line starts with a blank instead of an owner.
    let continuesOwner: Bool
    let records: [ZoneRecord]
    /// Whether the line has an explicit time to live, rather than that of `$TTL`.
    let hasOwnTime: Bool
    /// The byte range of the serial of an SOA record.
    let serial: Range<Int>?

    /// Returns a record for this entry, without its time to live if that is inherited from `$TTL`.
    func omittingInheritedTime(_ record: ZoneRecord) -> ZoneRecord {
        guard !hasOwnTime, record.timeToLive == records.first?.timeToLive else { return record }
        return ZoneRecord(record.owner, record.value)
    }
}
