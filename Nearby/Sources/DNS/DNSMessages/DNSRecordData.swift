// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The data of a record, by record type.
public enum DNSRecordData: Hashable, Sendable {
    /// A or AAAA: an address of a host.
    case address(IPAddress)
    /// NS: the name of an authoritative server of a zone.
    case nameServer(DomainName)
    /// CNAME: the canonical name of the owner, which is an alias.
    case alias(DomainName)
    /// DNAME: the name that replaces the owner in all names below it (RFC 6672).
    case subtreeAlias(DomainName)
    /// PTR: the name of the host with an address, or of an instance of a service.
    case pointer(DomainName)
    /// SOA: the parameters of a zone.
    case authority(StartOfAuthority)
    /// SRV: the host and port of a service (RFC 2782).
    case service(ServiceLocation)
    /// TXT: strings of at most 255 bytes each; encoding truncates longer strings.
    case text([[UInt8]])
    /// NSEC: the next name, and the record types that exist at the owner (RFC 4034 section 4; RFC 6762 section 6.1).
    case nextSecure(DomainName, types: Set<DNSRecordType>)
    /// Any other type, with its data as bytes.
    case other(DNSRecordType, [UInt8])

    /// The type of a record with this data.
    public var type: DNSRecordType {
        switch self {
        case .address(let address): address.isIPv4 ? .a : .aaaa
        case .nameServer: .ns
        case .alias: .cname
        case .subtreeAlias: .dname
        case .pointer: .ptr
        case .authority: .soa
        case .service: .srv
        case .text: .txt
        case .nextSecure: .nsec
        case .other(let type, _): type
        }
    }

    /// The data as bytes without name compression, the form in which simultaneous probes are compared (RFC 6762 section
    /// 8.2.1).
    public var uncompressed: [UInt8] {
        var bytes: [UInt8] = []
        forEachPart {
            switch $0 {
            case .bytes(let part): bytes += part
            case .name(let name): bytes += name.wireFormat
            }
        }
        return bytes
    }

    enum Part {
        case bytes([UInt8])
        case name(DomainName)
    }

    func forEachPart(_ body: (Part) -> Void) {
        switch self {
        case .address(let address): body(.bytes(address.bytes))
        case .nameServer(let name), .alias(let name), .subtreeAlias(let name), .pointer(let name): body(.name(name))
        case .authority(let authority):
            body(.name(authority.primary))
            body(.name(authority.mailbox))
            let numbers = [
                authority.serial.value, authority.refresh, authority.retry, authority.expire, authority.minimum,
            ]
            body(.bytes(numbers.flatMap(\.bigEndianBytes)))
        case .service(let service):
            body(.bytes([service.priority, service.weight, service.port].flatMap(\.bigEndianBytes)))
            body(.name(service.target))
        case .text(let strings):
            // A TXT record has at least one string (RFC 6763 section 6.1).
            let parts = strings.isEmpty ? [[]] : strings
            body(.bytes(parts.flatMap { [UInt8(min($0.count, 255))] + $0.prefix(255) }))
        case .nextSecure(let next, let types):
            body(.name(next))
            body(.bytes(Self.bitmap(types)))
        case .other(_, let bytes): body(.bytes(bytes))
        }
    }

    /// Returns the type bit maps: windows of 256 types, each with as many bytes as its highest type needs (RFC 4034
    /// section 4.1.2).
    private static func bitmap(_ types: Set<DNSRecordType>) -> [UInt8] {
        Dictionary(grouping: types.map(\.rawValue)) { $0 >> 8 }.sorted { $0.key < $1.key }.flatMap { window, types in
            let lows = types.map { Int($0 & 0xFF) }
            var bits = [UInt8](repeating: 0, count: (lows.max() ?? 0) / 8 + 1)
            for low in lows { bits[low / 8] |= 0x80 >> (low % 8) }
            return [UInt8(window), UInt8(bits.count)] + bits
        }
    }
}

/// The host and port of a service, with the priority and weight (RFC 2782).
public struct ServiceLocation: Hashable, Sendable {
    /// The priority: clients use the locations with the lowest number first.
    public var priority: UInt16
    /// The relative weight among locations of the same priority; 0 gives the location very little of the load.
    public var weight: UInt16
    /// The port of the service.
    public var port: UInt16
    /// The name of the host, which must have address records.
    public var target: DomainName

    /// Creates a location from a port and a host; priority and weight are 0 by default.
    public init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: DomainName) {
        (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
    }
}

extension DomainName {
    /// The name in wire format: each label after its length, and the root's zero byte (RFC 1035 section 3.1).
    var wireFormat: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
