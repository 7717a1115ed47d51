// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

extension DNSMessage {
    /// Decodes a message.
    ///
    /// - Parameter bytes: The message, without the length prefix used over TCP.
    /// - Throws: ``DNSMessageError`` if the bytes are not a valid message, or more bytes follow it.
    public init(decoding bytes: [UInt8]) throws(DNSMessageError) {
        var reader = DNSMessageReader(bytes)
        let id = try reader.integer(UInt16.self)
        let second = try reader.integer(UInt16.self)
        let counts = (
            try reader.integer(UInt16.self), try reader.integer(UInt16.self), try reader.integer(UInt16.self),
            try reader.integer(UInt16.self)
        )
        self.init(
            id: id, flags: Flags(rawValue: second & 0x87B0), operation: UInt8(second >> 11 & 0xF),
            responseCode: DNSResponseCode(rawValue: UInt8(second & 0xF)),
            questions: try reader.entries(counts.0) { reader throws(DNSMessageError) in try reader.question() },
            answers: try reader.entries(counts.1) { reader throws(DNSMessageError) in try reader.record() },
            authorities: try reader.entries(counts.2) { reader throws(DNSMessageError) in try reader.record() },
            additionals: try reader.entries(counts.3) { reader throws(DNSMessageError) in try reader.record() })
        guard reader.isAtEnd else { throw .trailingBytes }
    }
}

extension DNSRecordData {
    /// Decodes the data of a record without name compression.
    ///
    /// - Throws: ``DNSMessageError`` if the bytes are not valid data of the type.
    package init(_ type: DNSRecordType, decoding bytes: [UInt8]) throws(DNSMessageError) {
        var reader = DNSMessageReader(bytes)
        self = try reader.data(of: type)
        guard reader.isAtEnd else { throw .malformedData(type) }
    }
}

/// Reads the parts of a message in sequence.
struct DNSMessageReader {
    private let bytes: [UInt8]
    private var index = 0
    /// The end offset of the message, or of the record data being read.
    private var end: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
    }

    var isAtEnd: Bool { index == end }

    mutating func integer<Integer: FixedWidthInteger & UnsignedInteger>(_: Integer.Type) throws(DNSMessageError)
        -> Integer
    {
        try take(Integer.bitWidth / 8).reduce(0) { $0 << 8 | Integer($1) }
    }

    /// Reads the given number of entries; no capacity is reserved, because a header can declare more entries than the
    /// message contains.
    mutating func entries<Entry>(
        _ count: UInt16, _ entry: (inout DNSMessageReader) throws(DNSMessageError) -> Entry
    ) throws(DNSMessageError) -> [Entry] {
        var entries: [Entry] = []
        for _ in 0..<count { entries.append(try entry(&self)) }
        return entries
    }

    mutating func question() throws(DNSMessageError) -> DNSQuestion {
        let name = try name()
        let type = DNSRecordType(rawValue: try integer(UInt16.self))
        let bits = try integer(UInt16.self)
        return DNSQuestion(name, type, recordClass: bits & 0x7FFF, prefersUnicast: bits & 0x8000 != 0)
    }

    mutating func record() throws(DNSMessageError) -> DNSRecord {
        let name = try name()
        let type = DNSRecordType(rawValue: try integer(UInt16.self))
        let bits = try integer(UInt16.self)
        let timeToLive = try integer(UInt32.self)
        let length = Int(try integer(UInt16.self))
        guard length <= end - index else { throw .unexpectedEnd }
        let completeSize = end
        end = index + length
        let data = try data(of: type)
        guard isAtEnd else { throw .malformedData(type) }
        end = completeSize
        // An OPT record has the sender's UDP payload size in the class field.
        return type == .opt
            ? DNSRecord(name, data, timeToLive: timeToLive, recordClass: bits)
            : DNSRecord(
                name, data, timeToLive: timeToLive, recordClass: bits & 0x7FFF, flushesCache: bits & 0x8000 != 0)
    }

    mutating func data(of type: DNSRecordType) throws(DNSMessageError) -> DNSRecordData {
        switch type {
        case .a, .aaaa:
            guard let address = IPAddress(bytes: Array(try rest())), address.isIPv4 == (type == .a) else {
                throw .malformedData(type)
            }
            return .address(address)
        case .ns: return .nameServer(try name())
        case .cname: return .alias(try name())
        case .dname: return .subtreeAlias(try name())
        case .ptr: return .pointer(try name())
        case .soa: return .authority(try authority())
        case .srv:
            return .service(
                ServiceLocation(
                    priority: try integer(UInt16.self), weight: try integer(UInt16.self),
                    port: try integer(UInt16.self), target: try name()))
        case .txt: return .text(try strings())
        case .nsec:
            // python-zeroconf 0.47 encodes the window number in two bytes; the rest of its message is valid.
            var reader = self
            guard let next = try? reader.name(), let types = try? reader.types() else {
                return .other(type, Array(try rest()))
            }
            self = reader
            return .nextSecure(next, types: types)
        default: return .other(type, Array(try rest()))
        }
    }

    private mutating func authority() throws(DNSMessageError) -> StartOfAuthority {
        var authority = StartOfAuthority(
            primary: try name(), mailbox: try name(), serial: ZoneSerial(try integer(UInt32.self)))
        authority.refresh = try integer(UInt32.self)
        authority.retry = try integer(UInt32.self)
        authority.expire = try integer(UInt32.self)
        authority.minimum = try integer(UInt32.self)
        return authority
    }

    private mutating func strings() throws(DNSMessageError) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        while !isAtEnd { strings.append(Array(try take(Int(try integer(UInt8.self))))) }
        // A TXT record without data is equivalent to one empty string (RFC 6763 section 6.1).
        return strings.isEmpty ? [[]] : strings
    }

    private mutating func types() throws(DNSMessageError) -> Set<DNSRecordType> {
        var types: Set<DNSRecordType> = []
        while !isAtEnd {
            let window = UInt16(try integer(UInt8.self)) << 8
            let length = Int(try integer(UInt8.self))
            guard (1...32).contains(length) else { throw .malformedData(.nsec) }
            for (position, byte) in try take(length).enumerated() {
                for bit in 0..<8 where byte & 0x80 >> bit != 0 {
                    types.insert(DNSRecordType(rawValue: window | UInt16(position * 8 + bit)))
                }
            }
        }
        return types
    }

    /// Reads a name (RFC 1035 section 4.1.4).
    ///
    /// Each pointer must point before the previous one, so that no loop is possible.
    private mutating func name() throws(DNSMessageError) -> DomainName {
        var labels: [[UInt8]] = []
        var (length, pointers, position, limit) = (1, 0, index, index)
        var afterPointer: Int?
        // A pointer's target may lie outside the record's data, but not after it.
        while true {
            guard position < end else { throw .unexpectedEnd }
            let first = bytes[position]
            switch first >> 6 {
            case 0 where first == 0:
                index = afterPointer ?? position + 1
                do throws(DomainNameError) {
                    return try DomainName(labels: labels)
                } catch {
                    throw .malformedName
                }
            case 0:
                guard Int(first) < end - position else { throw .unexpectedEnd }
                length += Int(first) + 1
                guard length <= 255 else { throw .malformedName }
                labels.append(Array(bytes[position + 1...position + Int(first)]))
                position += Int(first) + 1
            case 3:
                guard position + 1 < end else { throw .unexpectedEnd }
                let target = Int(first & 0x3F) << 8 | Int(bytes[position + 1])
                // A name has at most 127 labels; without a limit, chains of pointers would cost much time.
                pointers += 1
                guard target < limit, pointers <= 127 else { throw .malformedName }
                if afterPointer == nil { afterPointer = position + 2 }
                (position, limit) = (target, target)
            default: throw .malformedName
            }
        }
    }

    private mutating func rest() throws(DNSMessageError) -> ArraySlice<UInt8> { try take(end - index) }

    private mutating func take(_ count: Int) throws(DNSMessageError) -> ArraySlice<UInt8> {
        guard count <= end - index else { throw .unexpectedEnd }
        defer { index += count }
        return bytes[index..<index + count]
    }
}
