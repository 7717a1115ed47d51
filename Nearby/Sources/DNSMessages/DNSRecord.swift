// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// What a message asks (RFC 1035 section 4.1.2).
public struct DNSQuestion: Hashable, Sendable {
    /// The name that is asked for.
    public var name: DomainName
    /// The type of its records, or ``DNSRecordType/any``.
    public var type: DNSRecordType
    /// The class; 1, the Internet, nearly always, and 255 for any.
    public var recordClass: UInt16
    /// Whether the asker of multicast DNS wants the answer for itself: the QU bit (RFC 6762 section 5.4).
    public var prefersUnicast: Bool

    /// A question for the records of a name.
    public init(_ name: DomainName, _ type: DNSRecordType, recordClass: UInt16 = 1, prefersUnicast: Bool = false) {
        (self.name, self.type, self.recordClass, self.prefersUnicast) = (name, type, recordClass, prefersUnicast)
    }
}

/// A resource record (RFC 1035 section 4.1.3).
public struct DNSRecord: Hashable, Sendable {
    /// The name that it is about.
    public var name: DomainName
    /// What it says.
    public var data: DNSRecordData
    /// For how many seconds it may be kept.
    public var timeToLive: UInt32
    /// The class; 1, the Internet, nearly always.
    ///
    /// An OPT record has a length here (RFC 6891 section 6.1.2).
    public var recordClass: UInt16
    /// Whether it replaces what was known of the name and type: the cache-flush bit of multicast DNS (RFC 6762 section 10.2).
    public var flushesCache: Bool

    /// A record of a name.
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
    /// The type's number.
    public let rawValue: UInt16

    /// A type by its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An address of IPv4.
    public static let a = DNSRecordType(rawValue: 1)
    /// A server of a zone.
    public static let ns = DNSRecordType(rawValue: 2)
    /// The name is another name for this one.
    public static let cname = DNSRecordType(rawValue: 5)
    /// The values of a zone.
    public static let soa = DNSRecordType(rawValue: 6)
    /// The name of an address, or an instance of a service.
    public static let ptr = DNSRecordType(rawValue: 12)
    /// What kind of computer a host is.
    public static let hinfo = DNSRecordType(rawValue: 13)
    /// Where mail for the name goes.
    public static let mx = DNSRecordType(rawValue: 15)
    /// Strings.
    public static let txt = DNSRecordType(rawValue: 16)
    /// An address of IPv6.
    public static let aaaa = DNSRecordType(rawValue: 28)
    /// Where a service is.
    public static let srv = DNSRecordType(rawValue: 33)
    /// All names below are found below another name.
    public static let dname = DNSRecordType(rawValue: 39)
    /// A message's own options (RFC 6891).
    public static let opt = DNSRecordType(rawValue: 41)
    /// Of which types the name has records.
    public static let nsec = DNSRecordType(rawValue: 47)
    /// In a question: records of all types.
    public static let any = DNSRecordType(rawValue: 255)

    private static let names: [DNSRecordType: String] = [
        .a: "A", .ns: "NS", .cname: "CNAME", .soa: "SOA", .ptr: "PTR", .hinfo: "HINFO", .mx: "MX", .txt: "TXT",
        .aaaa: "AAAA", .srv: "SRV", .dname: "DNAME", .opt: "OPT", .nsec: "NSEC", .any: "ANY",
    ]
}

extension DNSRecordType: CustomStringConvertible {
    /// The type as master files write it, or `TYPE65280` for one without a name here (RFC 3597 section 5).
    public var description: String { Self.names[self] ?? "TYPE\(rawValue)" }
}
