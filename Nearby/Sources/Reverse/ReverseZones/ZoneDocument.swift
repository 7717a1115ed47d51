// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// An editable zone file: unchanged lines, including comments and records of other types, are preserved.
public struct ZoneDocument: Sendable {
    /// The zone name: the owner of the SOA record, the first `$ORIGIN`, or the argument, in this order.
    public let origin: DomainName

    private let bytes: [UInt8]
    private let entries: [Entry]
    /// The changed records, by index of their entry.
    private var changed: [Int: [ZoneRecord]] = [:]
    private var newTimes: [Int: UInt32] = [:]
    private var added: [ZoneRecord] = []
    private var newSerial: ZoneSerial?

    private typealias Entry = ZoneFileEntry

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file; comments may have any encoding.
    ///   - origin: The origin of relative names before an `$ORIGIN`; the root by default.
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``, ``ReverseZoneError/tooManyRecords(limit:)``, and
    ///   ``ReverseZoneError/unnamedZone`` if the owner of the SOA record is the root.
    public init(_ bytes: [UInt8], origin: DomainName = .root) throws(ReverseZoneError) {
        self.bytes = bytes
        entries = try ZoneFileReader.entries(in: bytes, origin: origin)
        let apex = entries.lazy.compactMap { $0.serial == nil ? nil : $0.owner }.first
        // The root has no reverse names, so the zone name is missing.
        guard apex != .root else { throw .unnamedZone }
        self.origin = apex ?? entries.first { if case .origin = $0.kind { true } else { false } }?.origin ?? origin
    }

    /// The records of the types that ``ZoneFileReader`` supports, including changes; added records are at the end.
    public var records: [ZoneRecord] {
        entries.indices.flatMap { (changed[$0] ?? entries[$0].records).map(written) } + added
    }

    /// The owner names of records of unsupported types.
    package var ownersOfOtherRecords: Set<DomainName> {
        Set(entries.compactMap { if case .otherRecord = $0.kind { $0.owner } else { nil } })
    }

    /// The values of the SOA record; `nil` for a partial zone without one.
    public var authority: StartOfAuthority? {
        for record in records { if case .authority(let authority) = record.value { return authority } }
        return nil
    }

    /// Changes or removes records; a `$GENERATE` line is replaced by its records if one of them changes.
    ///
    /// - Parameter change: Called with each record; returns the new record, or `nil` to remove it.
    public mutating func edit(_ change: (ZoneRecord) -> ZoneRecord?) {
        for index in entries.indices {
            let old = changed[index] ?? entries[index].records
            let new = old.compactMap(change)
            if new != old { changed[index] = new }
        }
        added = added.compactMap(change)
    }

    /// Adds a record at the end of the file.
    public mutating func add(_ record: ZoneRecord) { added.append(record) }

    /// Adds the records of a planned file that are missing, and the next serial if there are any; all other records
    /// remain unchanged.
    ///
    /// - Parameter plan: The planned file; only the serial of its SOA record is used.
    /// - Returns: The records of this file that are not in the plan, except SOA records.
    /// - Throws: ``ReverseZoneError/zoneMismatch(_:expected:)``, and ``ReverseZoneError/conflict(_:existing:)`` if a CNAME
    ///   record would coexist with another record of the same owner (RFC 1034 section 3.6.2).
    public mutating func merge(_ plan: ZoneFile) throws(ReverseZoneError) -> [ZoneRecord] {
        guard origin == plan.origin else { throw .zoneMismatch(origin.description, expected: plan.origin.description) }
        let (authority, others) = (authority, ownersOfOtherRecords)
        let existing = Dictionary(grouping: records, by: \.owner)
        var planned: Set<PlannedRecord> = []
        for record in plan.records {
            if case .authority(let new) = record.value {
                guard let authority else { throw .zoneMismatch(origin.description, expected: plan.origin.description) }
                newSerial = authority.serial.next(on: new.serial)
                continue
            }
            planned.insert(PlannedRecord(record))
            let own = existing[record.owner] ?? []
            guard !own.contains(where: { $0.value == record.value }) else { continue }
            if let other = own.first(where: { $0.value.isAlias || record.value.isAlias }) {
                throw .conflict(record.line, existing: other.line)
            }
            if record.value.isAlias, others.contains(record.owner) {
                throw .conflict(record.line, existing: "\(record.owner)")
            }
            add(record)
        }
        if added.isEmpty { newSerial = nil }
        return existing.values.joined().filter { record in
            if case .authority = record.value { return false }
            return !planned.contains(PlannedRecord(record))
        }.sorted { $0.line < $1.line }
    }

    /// A record without its time to live, which a plan does not specify.
    private struct PlannedRecord: Hashable {
        let owner: DomainName
        let value: DNSRecordData

        init(_ record: ZoneRecord) { (owner, value) = (record.owner, record.value) }
    }

    /// Changes the times to live of `$TTL` lines, and of record lines with an explicit time.
    ///
    /// - Parameters:
    ///   - isConcerned: Returns whether to change the times of an owner's records; by default, all times are changed.
    ///     `$TTL` lines are always changed.
    ///   - time: Called with each time in seconds; returns the new time.
    public mutating func editTimes(
        of isConcerned: (DomainName) -> Bool = { _ in true }, _ time: (UInt32) -> UInt32
    ) {
        for (index, entry) in entries.enumerated() {
            if case .timeToLive(let old) = entry.kind, time(old) != old { newTimes[index] = time(old) }
            guard entry.hasOwnTime else { continue }
            let old = changed[index] ?? entry.records
            let new = old.map { record in
                isConcerned(record.owner)
                    ? ZoneRecord(record.owner, record.value, timeToLive: record.timeToLive.map(time)) : record
            }
            if new != old { changed[index] = new }
        }
    }

    /// The changed times of `$TTL` lines, in file order.
    package var changedTimes: [(old: UInt32, new: UInt32)] {
        entries.enumerated().compactMap { index, entry in
            guard case .timeToLive(let old) = entry.kind, let new = newTimes[index] else { return nil }
            return (old, new)
        }
    }

    /// Whether there are changes.
    public var isChanged: Bool { !changed.isEmpty || !newTimes.isEmpty || !added.isEmpty || newSerial != nil }

    /// Sets the serial of the zone; a file without an SOA record is unchanged.
    public mutating func setSerial(_ serial: ZoneSerial) { newSerial = serial }

    // MARK: Writing

    /// The contents of the file with the changes; identical to the original if there are none.
    public var changedBytes: [UInt8] {
        var (text, end, hasChangedOwner) = ([UInt8](), 0, false)
        for (index, entry) in entries.enumerated() {
            text += bytes[end..<entry.range.lowerBound]
            end = entry.range.upperBound
            if let time = newTimes[index] {
                text += "$TTL \(time)\n".utf8
                appendComment(of: entry, in: &text)
            } else if let records = changed[index] {
                for record in records.map(written) {
                    ZoneFile.write(entry.omittingInheritedTime(record), relativeTo: entry.origin, to: &text)
                }
                if !records.isEmpty { appendComment(of: entry, in: &text) }
                hasChangedOwner = true
            } else {
                // A line that starts with a blank inherits the owner of the previous line, which may have changed.
                if hasChangedOwner, entry.continuesOwner, let owner = entry.owner {
                    text += Array(owner.description.utf8)
                }
                hasChangedOwner = hasChangedOwner && entry.owner == nil
                text += unchanged(entry)
            }
        }
        text += bytes[end...]
        if !added.isEmpty, text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        let last = entries.last?.origin ?? origin
        for record in added { ZoneFile.write(record, relativeTo: last, to: &text) }
        return text
    }

    /// Appends the comment of an entry to the line that replaces it.
    private func appendComment(of entry: Entry, in text: inout [UInt8]) {
        guard let comment = entry.comment else { return }
        text.removeLast()
        text += [UInt8(ascii: " ")] + bytes[comment] + [UInt8(ascii: "\n")]
    }

    private func unchanged(_ entry: Entry) -> [UInt8] {
        guard let range = entry.serial, let newSerial else { return Array(bytes[entry.range]) }
        return bytes[entry.range.lowerBound..<range.lowerBound] + Array(newSerial.description.utf8)
            + bytes[range.upperBound..<entry.range.upperBound]
    }

    private func written(_ record: ZoneRecord) -> ZoneRecord {
        guard case .authority(var authority) = record.value, let newSerial else { return record }
        authority.serial = newSerial
        return ZoneRecord(record.owner, .authority(authority), timeToLive: record.timeToLive)
    }
}

extension DNSRecordData {
    fileprivate var isAlias: Bool { if case .alias = self { true } else { false } }
}
