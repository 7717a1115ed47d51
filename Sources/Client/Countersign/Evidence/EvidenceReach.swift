// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOCore

/// The addresses from which evidence for one server may be fetched.
///
/// The URLs come from a certificate, and an issuer is fetched before any check has succeeded: the certificate's creator
/// could cause requests to any machine in the program's own network. Sources in the local network are therefore used
/// only for servers in that network.
enum EvidenceReach: Hashable, Sendable {
    /// Global addresses, and addresses of the server's own class.
    case matching(AddressClass)
    /// All addresses, for `TrustPolicy.LocalEvidence.allowed`.
    case everywhere

    /// Determines the reach for a server.
    ///
    /// - Parameters:
    ///   - policy: The trust policy of the server.
    ///   - address: The address of the server; `nil` if the connection uses a proxy.
    ///   - host: The server's name, which determines the class if the address is unknown; `nil` for a client.
    init(under policy: TrustPolicy, address: SocketAddress?, host: HostName?) {
        guard policy.localEvidence == .besideServer else {
            self = .everywhere
            return
        }
        self = .matching(address.map { Self.place(of: $0) } ?? host?.addressClass ?? .global)
    }

    func includes(_ address: SocketAddress) -> Bool { includes(Self.place(of: address)) }

    /// Returns whether a host is within the reach, according to its name.
    ///
    /// A name that must be resolved is checked by its address later.
    func includes(_ host: HostName) -> Bool { host.addressClass.map { includes($0) } ?? true }

    private func includes(_ place: AddressClass) -> Bool {
        switch self {
        case .everywhere: true
        case .matching(let own): place == .global || place == own && place != .unusable
        }
    }

    /// Returns the class of an address; a Unix domain socket counts as loopback.
    static func place(of address: SocketAddress) -> AddressClass {
        if case .unixDomainSocket = address { return .loopback }
        let bytes = address.ipAddress.flatMap { try? HostName($0).addressBytes }
        return bytes.map { AddressClass($0) } ?? .unusable
    }
}

extension HostName {
    /// Whether the host is the loopback interface: `localhost`, a name below it, 127/8 or ::1.
    ///
    /// Other addresses with an embedded IPv4 address than a mapped one do not count, because their packets may leave
    /// this machine.
    package var isLoopback: Bool {
        guard let bytes = addressBytes else { return isLocalhost }
        let zeros = [UInt8](repeating: 0, count: 10)
        let isIPv4 = bytes.count == 4 || bytes.starts(with: zeros + [0xFF, 0xFF])
        return isIPv4 ? bytes.suffix(4).first == 127 : bytes == zeros + [0, 0, 0, 0, 0, 1]
    }

    /// The class of a literal address, and of `localhost` and the names below it; `nil` for every other name.
    fileprivate var addressClass: AddressClass? {
        if let bytes = addressBytes { return AddressClass(bytes) }
        return isLocalhost ? .loopback : nil
    }
}

/// The class of an IP address, by the registries of RFC 6890.
enum AddressClass: Hashable, Sendable {
    /// Globally reachable addresses.
    case global
    /// 10/8, 172.16/12, 192.168/16 (RFC 1918), 100.64/10 (RFC 6598), 198.18/15 (RFC 2544), fc00::/7 (RFC 4193),
    /// fec0::/10.
    case privateUse
    /// 169.254/16 (RFC 3927), fe80::/10 (RFC 4291 section 2.5.6).
    case linkLocal
    /// 127/8, ::1.
    case loopback
    /// Unspecified, multicast, broadcast and reserved addresses, which no server has.
    case unusable

    /// Classifies an address.
    ///
    /// - Parameter bytes: An address of 4 or 16 bytes; an address of another length is ``unusable``.
    init(_ bytes: [UInt8]) {
        if let embedded = Self.embedded(in: bytes) {
            self = AddressClass(embedded)
            return
        }
        let blocks = bytes.count == 4 ? Self.blocks4 : bytes.count == 16 ? Self.blocks6 : []
        guard !blocks.isEmpty else {
            self = .unusable
            return
        }
        self = blocks.first { $0.block.contains(bytes) }?.place ?? .global
    }

    private typealias Entry = (block: AddressBlock, place: AddressClass)

    private static func entry(_ bytes: [UInt8], _ prefix: Int, _ place: AddressClass, size: Int) -> Entry? {
        AddressBlock(bytes + [UInt8](repeating: 0, count: size - bytes.count), prefix: prefix).map { ($0, place) }
    }

    private static let blocks4: [Entry] = [
        entry([127], 8, .loopback, size: 4), entry([10], 8, .privateUse, size: 4),
        entry([172, 16], 12, .privateUse, size: 4), entry([192, 168], 16, .privateUse, size: 4),
        entry([100, 64], 10, .privateUse, size: 4), entry([198, 18], 15, .privateUse, size: 4),
        entry([169, 254], 16, .linkLocal, size: 4), entry([0], 8, .unusable, size: 4),
        entry([192, 0, 0], 24, .unusable, size: 4), entry([224], 4, .unusable, size: 4),
        entry([240], 4, .unusable, size: 4),
    ].compactMap(\.self)

    private static let blocks6: [Entry] = [
        // ::1 and :: are the only addresses in ::/96 without an embedded IPv4 address.
        entry([UInt8](repeating: 0, count: 15) + [1], 128, .loopback, size: 16),
        entry([UInt8](repeating: 0, count: 16), 128, .unusable, size: 16),
        entry([0xFC], 7, .privateUse, size: 16), entry([0xFE, 0xC0], 10, .privateUse, size: 16),
        // The local-use translation prefix (RFC 8215).
        entry([0, 0x64, 0xFF, 0x9B, 0, 1], 48, .privateUse, size: 16),
        entry([0xFE, 0x80], 10, .linkLocal, size: 16), entry([0xFF], 8, .unusable, size: 16),
    ].compactMap(\.self)

    /// Returns the IPv4 address that is embedded in an IPv6 address: mapped and compatible (RFC 4291 section 2.5.5),
    /// translated (RFC 6052 section 2.1), and 6to4 (RFC 3056 section 2); `nil` for every other address.
    private static func embedded(in bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0x20, 0x02]) { return Array(bytes[2..<6]) }
        let zeros = [UInt8](repeating: 0, count: 10)
        let isMapped = bytes.starts(with: zeros + [0xFF, 0xFF])
        let isTranslated = bytes.starts(with: [0, 0x64, 0xFF, 0x9B] + zeros.prefix(8))
        let isCompatible =
            bytes.starts(with: zeros + [0, 0]) && bytes[12...] != [0, 0, 0, 1] && bytes[12...] != [0, 0, 0, 0]
        return isMapped || isTranslated || isCompatible ? Array(bytes[12...]) : nil
    }
}
