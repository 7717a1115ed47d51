// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
public import DNSNames

/// A parser of master files (RFC 1035 section 5), for the types NS, CNAME, DNAME, PTR, A, AAAA and SOA; other records
/// are ignored.
///
/// The parser processes `$ORIGIN`, `$TTL` and `$GENERATE`. It rejects `$INCLUDE`, because a file could include any
/// other file.
public struct ZoneFileReader {
    /// The maximum number of records in a file, including those of `$GENERATE` lines.
    public static let recordLimit = 2_000_000

    private var origin: DomainName
    private var owner: DomainName?
    private var timeToLive: UInt32?
    private var hasOwnTime = false
    private var count = 0

    private init(_ origin: DomainName) { self.origin = origin }

    /// Returns the records of a file, in order.
    ///
    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - origin: The origin of relative names before an `$ORIGIN`.
    /// - Returns: The records of the supported types.
    /// - Throws: ``ReverseZoneError/malformedLine(_:_:)``, ``ReverseZoneError/tooManyRecords(limit:)``.
    public static func records(in text: String, origin: DomainName) throws(ReverseZoneError) -> [ZoneRecord] {
        try entries(in: Array(text.utf8), origin: origin).flatMap(\.records)
    }

    /// Returns the entries of a file.
    static func entries(in bytes: [UInt8], origin: DomainName) throws(ReverseZoneError) -> [ZoneFileEntry] {
        var (reader, tokens, entries) = (ZoneFileReader(origin), ZoneFileTokens(bytes), [ZoneFileEntry]())
        while let entry = try tokens.next() {
            do throws(EntryProblem) {
                entries.append(try reader.read(entry))
            } catch {
                throw .malformedLine(entry.line, error.reason)
            }
            guard reader.count <= recordLimit else { throw .tooManyRecords(limit: recordLimit) }
        }
        return entries
    }

    /// An error in an entry.
    private struct EntryProblem: Error { let reason: String }

    private mutating func read(_ entry: ZoneFileTokens.Entry) throws(EntryProblem) -> ZoneFileEntry {
        var words = entry.words.map(\.text)[...]
        var (kind, owner, records, serial) = (
            ZoneFileEntry.Kind.record, DomainName?.none, [ZoneRecord](), Range<Int>?.none
        )
        switch words.first?.uppercased() {
        case "$ORIGIN":
            guard words.count == 2 else { throw EntryProblem(reason: "$ORIGIN requires one name") }
            (kind, origin) = (.origin, try name(words[1]))
        case "$TTL":
            guard words.count == 2, let time = Self.seconds(words[1]) else {
                throw EntryProblem(reason: "$TTL requires one time")
            }
            (kind, timeToLive) = (.timeToLive(time), time)
        case "$INCLUDE": throw EntryProblem(reason: "$INCLUDE is not supported")
        case "$GENERATE": (kind, records) = (.generate, try generate(words.dropFirst()))
        default:
            if !entry.continuesOwner, let first = words.popFirst() { self.owner = try name(first) }
            guard let name = self.owner else {
                throw EntryProblem(reason: "it has no owner, and no earlier line has one")
            }
            owner = name
            if let record = try record(of: name, &words) {
                records = [record]
                count += 1
                if case .authority = record.value { serial = entry.words.dropLast(4).last?.range }
            } else {
                kind = .otherRecord
            }
        }
        return ZoneFileEntry(
            kind: kind, range: entry.range, origin: origin, comment: entry.comment, owner: owner,
            continuesOwner: entry.continuesOwner, records: records, hasOwnTime: hasOwnTime, serial: serial)
    }

    private func name(_ text: String) throws(EntryProblem) -> DomainName {
        if text == "@" { return origin }
        do throws(DomainNameError) {
            return try DomainName(text, relativeTo: origin)
        } catch {
            throw EntryProblem(reason: "\"\(text)\" is not a domain name")
        }
    }

    /// Parses a record of a name; the time to live and class come first, in either order.
    ///
    /// - Returns: The record, or `nil` if its type is unsupported.
    private mutating func record(of owner: DomainName, _ words: inout ArraySlice<String>) throws(EntryProblem)
        -> ZoneRecord?
    {
        var time = timeToLive
        hasOwnTime = false
        while let word = words.first {
            if word.first?.isNumber == true, let seconds = Self.seconds(word) {
                (time, hasOwnTime) = (seconds, true)
            } else if !["IN", "CH", "HS"].contains(word.uppercased()) {
                break
            }
            words.removeFirst()
        }
        return try value(&words).map { ZoneRecord(owner, $0, timeToLive: time) }
    }

    private func value(_ words: inout ArraySlice<String>) throws(EntryProblem) -> DNSRecordData? {
        guard let type = words.popFirst()?.uppercased() else { throw EntryProblem(reason: "it has no type") }
        func only() throws(EntryProblem) -> String {
            guard words.count == 1, let word = words.first else {
                throw EntryProblem(reason: "\(type) requires one value")
            }
            return word
        }
        switch type {
        case "NS": return .nameServer(try name(only()))
        case "CNAME": return .alias(try name(only()))
        case "DNAME": return .subtreeAlias(try name(only()))
        case "PTR": return .pointer(try name(only()))
        case "A", "AAAA":
            let text = try only()
            guard let address = IPAddress(text), address.isIPv4 == (type == "A") else {
                throw EntryProblem(reason: "\"\(text)\" is not an \(type == "A" ? "IPv4" : "IPv6") address")
            }
            return .address(address)
        case "SOA": return .authority(try authority(words))
        default: return nil
        }
    }

    private func authority(_ words: ArraySlice<String>) throws(EntryProblem) -> StartOfAuthority {
        let times = words.dropFirst(2).map(Self.seconds)
        guard words.count == 7, let serial = UInt32(words[words.startIndex + 2]),
            !times.contains(nil)
        else { throw EntryProblem(reason: "SOA requires two names, a serial and four times") }
        var soa = StartOfAuthority(
            primary: try name(words[words.startIndex]), mailbox: try name(words[words.startIndex + 1]),
            serial: ZoneSerial(serial))
        (soa.refresh, soa.retry) = (times[1] ?? 0, times[2] ?? 0)
        (soa.expire, soa.minimum) = (times[3] ?? 0, times[4] ?? 0)
        return soa
    }

    /// Expands `$GENERATE first-last[/step] owner [TTL] [class] type value`, as BIND does.
    private mutating func generate(_ words: ArraySlice<String>) throws(EntryProblem) -> [ZoneRecord] {
        guard words.count >= 4, let range = words.first else { throw EntryProblem(reason: "$GENERATE is incomplete") }
        let parts = range.split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-").compactMap { Int($0) }
        let step = parts.count == 1 ? 1 : Int(parts[1]) ?? 0
        guard ends.count == 2, (0...Int(Int32.max)).contains(ends[0]), ends[0] <= ends[1], step > 0, parts.count <= 2,
            ends[1] <= Int(Int32.max), (ends[1] - ends[0]) / step < Self.recordLimit
        else { throw EntryProblem(reason: "\"\(range)\" is not a number range") }
        // Records of unsupported types also take time, so they are counted.
        count += (ends[1] - ends[0]) / step + 1
        guard count <= Self.recordLimit else { return [] }
        var records: [ZoneRecord] = []
        for number in stride(from: ends[0], through: ends[1], by: step) {
            var filled: [String] = []
            for word in words.dropFirst() { filled.append(try Self.filled(word, with: number)) }
            let owner = try name(filled[0])
            var rest = filled.dropFirst()
            if let record = try record(of: owner, &rest) { records.append(record) }
        }
        return records
    }

    /// Replaces each `$` with a number; `${offset,width,base}` sets its format, and `$$` and `\$` produce a literal
    /// `$`.
    private static func filled(_ word: String, with number: Int) throws(EntryProblem) -> String {
        var (text, rest) = ("", word[...])
        while let character = rest.popFirst() {
            if character == "\\", rest.first == "$" {
                text += String(rest.removeFirst())
            } else if character != "$" {
                text.append(character)
            } else if rest.first == "$" {
                text += String(rest.removeFirst())
            } else if rest.first == "{", let end = rest.firstIndex(of: "}") {
                text += try written(number, rest[rest.index(after: rest.startIndex)..<end])
                rest = rest[rest.index(after: end)...]
            } else {
                text += String(number)
            }
        }
        return text
    }

    private static func written(_ number: Int, _ format: Substring) throws(EntryProblem) -> String {
        let parts = format.split(separator: ",", omittingEmptySubsequences: false)
        let radixes = ["d": 10, "o": 8, "x": 16, "X": 16]
        guard (1...3).contains(parts.count), let offset = Int32(parts[0]),
            let width = parts.count > 1 ? Int(parts[1]) : 0, (0...63).contains(width),
            let radix = radixes[parts.count > 2 ? String(parts[2]) : "d"], number + Int(offset) >= 0
        else { throw EntryProblem(reason: "\"${\(format)}\" is not a number format") }
        let digits = String(number + Int(offset), radix: radix, uppercase: parts.last == "X")
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Parses a time in seconds, or with BIND's units: `1h30m`.
    private static func seconds(_ word: String) -> UInt32? {
        if let value = UInt32(word) { return value }
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        var (total, digits) = (UInt32(0), "")
        for character in word.lowercased() {
            if character.isASCII, character.isNumber {
                digits.append(character)
                continue
            }
            guard let unit = units[character], let count = UInt32(digits) else { return nil }
            let (product, overflows) = count.multipliedReportingOverflow(by: unit)
            let (sum, isTooLong) = total.addingReportingOverflow(product)
            guard !overflows, !isTooLong else { return nil }
            (total, digits) = (sum, "")
        }
        return digits.isEmpty && !word.isEmpty ? total : nil
    }
}
