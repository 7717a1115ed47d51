// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
public import DNSNames

/// A zone, or a part of one, in master file format (RFC 1035 section 5).
public struct ZoneFile: Hashable, Sendable {
    /// A line of a file.
    public enum Line: Hashable, Sendable {
        /// A record.
        case record(ZoneRecord)
        /// A `$GENERATE` line for BIND: for each number, an alias from the number to the same number below a name.
        case aliases(ClosedRange<Int>, below: DomainName)
    }

    /// The origin of the file, written as `$ORIGIN`.
    public let origin: DomainName
    /// The default time to live of the records, in seconds; `nil` for a partial zone, which uses that of the zone.
    public let timeToLive: UInt32?
    /// The lines, in order.
    public let lines: [Line]

    /// Creates a file from its lines.
    public init(origin: DomainName, timeToLive: UInt32?, lines: [Line]) {
        (self.origin, self.timeToLive, self.lines) = (origin, timeToLive, lines)
    }

    /// The records of the lines, with aliases expanded.
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

    /// A file name formed from the origin in lower case, such as `64-27.7.126.206.in-addr.arpa.zone`, without slashes
    /// and backslashes.
    public var fileName: String {
        origin.description.dropLast().lowercased().replacing("/", with: "-").replacing("\\", with: "-") + ".zone"
    }

    /// The contents of the file, in ASCII.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The contents of the file, as ASCII bytes.
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

    /// Returns the generic representation of a record of unknown type (RFC 3597 section 5).
    private static func unknown(_ value: DNSRecordData) -> String {
        let bytes = value.uncompressed
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "TYPE\(value.type.rawValue) \\# \(bytes.count) \(digits)"
    }
}
