// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// A question for the records of a name (RFC 1035 section 4.1.2).
public struct DNSQuestion: Hashable, Sendable {
    /// The name in question.
    public var name: DomainName
    /// The type of the records, or ``DNSRecordType/any``.
    public var type: DNSRecordType
    /// The class: 1, the default, for the Internet, and 255 for any; at most 32,767, because the highest bit is
    /// ``prefersUnicast``.
    public var recordClass: UInt16
    /// Whether the querier in multicast DNS requests a unicast response: the QU bit (RFC 6762 section 5.4); `false` by
    /// default.
    public var prefersUnicast: Bool

    /// Creates a question for the records of a name.
    public init(_ name: DomainName, _ type: DNSRecordType, recordClass: UInt16 = 1, prefersUnicast: Bool = false) {
        (self.name, self.type, self.recordClass, self.prefersUnicast) = (name, type, recordClass, prefersUnicast)
    }
}

/// A resource record (RFC 1035 section 4.1.3).
public struct DNSRecord: Hashable, Sendable {
    /// The owner name of the record.
    public var name: DomainName
    /// The type and the data of the record.
    public var data: DNSRecordData
    /// The time for which the record may be cached, in seconds.
    public var timeToLive: UInt32
    /// The class: 1, the default, for the Internet.
    ///
    /// In an OPT record, this field is the size of the largest datagram that the sender can receive, in bytes (RFC 6891
    /// section 6.1.2).
    public var recordClass: UInt16
    /// Whether the record replaces all cached records of its name and type: the cache-flush bit of multicast DNS (RFC
    /// 6762 section 10.2).
    ///
    /// The default is `false`.
    public var flushesCache: Bool

    /// Creates a record.
    public init(
        _ name: DomainName, _ data: DNSRecordData, timeToLive: UInt32, recordClass: UInt16 = 1,
        flushesCache: Bool = false
    ) {
        (self.name, self.data, self.timeToLive) = (name, data, timeToLive)
        (self.recordClass, self.flushesCache) = (recordClass, flushesCache)
    }

    /// The type of the record.
    public var type: DNSRecordType { data.type }
}

/// The type of a record (RFC 1035 section 3.2.2).
public struct DNSRecordType: RawRepresentable, Hashable, Sendable {
    /// The number of the type.
    public let rawValue: UInt16

    /// Creates a type from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The IPv4 address of a host.
    public static let a = DNSRecordType(rawValue: 1)
    /// An authoritative name server of a zone.
    public static let ns = DNSRecordType(rawValue: 2)
    /// The canonical name of an alias.
    public static let cname = DNSRecordType(rawValue: 5)
    /// The start of a zone of authority, with the zone's parameters.
    public static let soa = DNSRecordType(rawValue: 6)
    /// A pointer to a name: the host of an address, or an instance of a service.
    public static let ptr = DNSRecordType(rawValue: 12)
    /// The hardware and operating system of a host.
    public static let hinfo = DNSRecordType(rawValue: 13)
    /// A mail server for the name.
    public static let mx = DNSRecordType(rawValue: 15)
    /// Text strings.
    public static let txt = DNSRecordType(rawValue: 16)
    /// The IPv6 address of a host (RFC 3596).
    public static let aaaa = DNSRecordType(rawValue: 28)
    /// The host and port of a service (RFC 2782).
    public static let srv = DNSRecordType(rawValue: 33)
    /// The alias of a subtree of names (RFC 6672).
    public static let dname = DNSRecordType(rawValue: 39)
    /// The message's own options (RFC 6891).
    public static let opt = DNSRecordType(rawValue: 41)
    /// The record types that exist at a name (RFC 4034 section 4).
    public static let nsec = DNSRecordType(rawValue: 47)
    /// Records of all types, used in a question.
    public static let any = DNSRecordType(rawValue: 255)

    private static let names: [DNSRecordType: String] = [
        .a: "A", .ns: "NS", .cname: "CNAME", .soa: "SOA", .ptr: "PTR", .hinfo: "HINFO", .mx: "MX", .txt: "TXT",
        .aaaa: "AAAA", .srv: "SRV", .dname: "DNAME", .opt: "OPT", .nsec: "NSEC", .any: "ANY",
    ]
}

extension DNSRecordType: CustomStringConvertible {
    /// The type in the notation of master files, or `TYPE65280` for a type without a name (RFC 3597 section 5).
    public var description: String { Self.names[self] ?? "TYPE\(rawValue)" }
}
