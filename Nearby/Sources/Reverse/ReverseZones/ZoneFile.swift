// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
public import DNSNames

/// A zone, or a part of one, as a master file (RFC 1035 section 5).
public struct ZoneFile: Hashable, Sendable {
    /// A line of a file.
    public enum Line: Hashable, Sendable {
        /// A record.
        case record(ZoneRecord)
        /// BIND's `$GENERATE`: an alias for each number, from the number itself to the number below a name.
        case aliases(ClosedRange<Int>, below: DomainName)
    }

    /// The name to which the names of the file are relative, as its `$ORIGIN` says.
    public let origin: DomainName
    /// For how long resolvers cache the records, in seconds; `nil` for a part of a zone, which leaves that to the zone.
    public let timeToLive: UInt32?
    /// The lines, in their order.
    public let lines: [Line]

    /// Makes a file of its lines.
    public init(origin: DomainName, timeToLive: UInt32?, lines: [Line]) {
        (self.origin, self.timeToLive, self.lines) = (origin, timeToLive, lines)
    }

    /// The records of the lines, one by one.
    var records: [ZoneRecord] {
        lines.flatMap { line -> [ZoneRecord] in
            switch line {
            case .record(let record): [record]
            case .aliases(let numbers, let name):
                numbers.compactMap { number in
                    guard let owner = try? origin.adding("\(number)"), let target = try? name.adding("\(number)") else {
                        return nil
                    }
                    return ZoneRecord(owner, .alias(target))
                }
            }
        }
    }

    /// A file name made of the origin in lower case, such as `64-27.7.126.206.in-addr.arpa.zone`, without slashes and backslashes.
    public var fileName: String {
        origin.description.dropLast().lowercased().replacing("/", with: "-").replacing("\\", with: "-") + ".zone"
    }

    /// The contents of the file, in ASCII.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Its text, in bytes of ASCII.
    package var bytes: [UInt8] {
        var text = Array("$ORIGIN \(origin)\n".utf8)
        if let timeToLive { text += "$TTL \(timeToLive)\n".utf8 }
        for line in lines { Self.write(line, relativeTo: origin, to: &text) }
        return text
    }

    private static func write(_ line: Line, relativeTo origin: DomainName, to text: inout [UInt8]) {
        switch line {
        case .aliases(let numbers, let name):
            let target = name.description(relativeTo: origin)
            text += "$GENERATE \(numbers.lowerBound)-\(numbers.upperBound) $ CNAME $.\(target)\n".utf8
        case .record(let record): write(record, relativeTo: origin, to: &text)
        }
    }

    private static let ownerWidth = 24

    /// Appends the line of a record.
    static func write(_ record: ZoneRecord, relativeTo origin: DomainName, to text: inout [UInt8]) {
        let start = text.count
        record.owner.write(relativeTo: origin, to: &text)
        let blanks = max(1, ownerWidth - (text.count - start))
        for _ in 0..<blanks { text.append(UInt8(ascii: " ")) }
        if let time = record.timeToLive { text += "\(time) ".utf8 }
        write(record.value, relativeTo: origin, to: &text)
        text.append(UInt8(ascii: "\n"))
    }

    private static func write(_ value: DNSRecordData, relativeTo origin: DomainName, to text: inout [UInt8]) {
        switch value {
        case .nameServer(let name): write("IN NS      ", name, to: &text)
        case .alias(let name): write("IN CNAME   ", name, relativeTo: origin, to: &text)
        case .subtreeAlias(let name): write("IN DNAME   ", name, to: &text)
        case .pointer(let name): write("IN PTR     ", name, to: &text)
        case .address(let address): text += "IN \(address.isIPv4 ? "A   " : "AAAA")    \(address)".utf8
        case .authority(let soa):
            let names = "IN SOA     \(soa.primary) \(soa.mailbox) (\n"
            let blanks = String(repeating: " ", count: ownerWidth)
            let numbers = "\(soa.serial) \(soa.refresh) \(soa.retry) \(soa.expire) \(soa.minimum) )"
            text += (names + blanks + numbers).utf8
        case .service, .text, .nextSecure, .other: text += "IN \(unknown(value))".utf8
        }
    }

    private static func write(
        _ type: StaticString, _ name: DomainName, relativeTo origin: DomainName = .root, to text: inout [UInt8]
    ) {
        type.withUTF8Buffer { text += $0 }
        name.write(relativeTo: origin, to: &text)
    }

    /// Any type at all (RFC 3597 section 5).
    private static func unknown(_ value: DNSRecordData) -> String {
        let bytes = value.uncompressed
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "TYPE\(value.type.rawValue) \\# \(bytes.count) \(digits)"
    }
}
