// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
public import DNSNames

/// A zone, or a part of one, as a master file (RFC 1035 section 5).
public struct ZoneFile: Hashable, Sendable {
    /// A line of it.
    public enum Line: Hashable, Sendable {
        case record(ZoneRecord)
        /// BIND's `$GENERATE`: an alias for each number, from the number itself to the number below a name.
        case aliases(ClosedRange<Int>, below: DomainName)
    }

    /// What the names of the file are relative to.
    public let origin: DomainName
    /// For how long resolvers keep the records, in seconds; `nil` for a part of a zone, which leaves that to the zone.
    public let timeToLive: UInt32?
    /// The lines, in their order.
    public let lines: [Line]

    /// A file of lines.
    public init(origin: DomainName, timeToLive: UInt32?, lines: [Line]) {
        (self.origin, self.timeToLive, self.lines) = (origin, timeToLive, lines)
    }

    /// A name for its file, without characters that file systems refuse.
    public var fileName: String {
        origin.description.dropLast().lowercased().replacing("/", with: "-").replacing("\\", with: "-") + ".zone"
    }

    /// Its text.
    public var text: String {
        var text = "$ORIGIN \(origin)\n"
        if let timeToLive { text += "$TTL \(timeToLive)\n" }
        for line in lines { text += Self.text(line, origin) + "\n" }
        return text
    }

    private static func text(_ line: Line, _ origin: DomainName) -> String {
        switch line {
        case .aliases(let numbers, let name):
            let target = name.description(relativeTo: origin)
            return "$GENERATE \(numbers.lowerBound)-\(numbers.upperBound) $ CNAME $.\(target)"
        case .record(let record): return text(record, relativeTo: origin)
        }
    }

    /// The line of a record.
    static func text(_ record: ZoneRecord, relativeTo origin: DomainName) -> String {
        let owner = record.owner.description(relativeTo: origin)
        let column = owner + String(repeating: " ", count: max(1, 24 - owner.count))
        let time = record.timeToLive.map { "\($0) " } ?? ""
        return "\(column)\(time)IN \(text(record.value, origin))"
    }

    private static func text(_ value: DNSRecordData, _ origin: DomainName) -> String {
        switch value {
        case .nameServer(let name): "NS      \(name)"
        case .alias(let name): "CNAME   \(name.description(relativeTo: origin))"
        case .subtreeAlias(let name): "DNAME   \(name)"
        case .pointer(let name): "PTR     \(name)"
        case .address(let address): "\(address.isIPv4 ? "A   " : "AAAA")    \(address)"
        case .authority(let soa):
            """
            SOA     \(soa.primary) \(soa.mailbox) (
                                    \(soa.serial) \(soa.refresh) \(soa.retry) \(soa.expire) \(soa.minimum) )
            """
        case .service, .text, .nextSecure, .other: unknown(value)
        }
    }

    /// Any type at all (RFC 3597 section 5).
    private static func unknown(_ value: DNSRecordData) -> String {
        let bytes = value.uncompressed
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "TYPE\(value.type.rawValue) \\# \(bytes.count) \(digits)"
    }
}
