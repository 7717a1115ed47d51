// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The part of the network that an IP address belongs to, by the registries of RFC 6890.
enum AddressClass: Hashable, Sendable {
    /// Reachable from everywhere.
    case global
    /// 10/8, 172.16/12, 192.168/16 (RFC 1918), 100.64/10 (RFC 6598), 198.18/15 (RFC 2544), fc00::/7 (RFC 4193), fec0::/10.
    case privateUse
    /// 169.254/16 (RFC 3927), fe80::/10 (RFC 4291 section 2.5.6).
    case linkLocal
    /// 127/8, ::1.
    case loopback
    /// Unspecified, multicast, broadcast and reserved addresses, which no server has.
    case unusable

    /// - Parameter bytes: An address, 4 or 16 bytes; an address of another length is ``unusable``.
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
        // ::1 is what remains of ::/96 beside embedded addresses.
        entry([UInt8](repeating: 0, count: 15) + [1], 128, .loopback, size: 16),
        entry([UInt8](repeating: 0, count: 16), 128, .unusable, size: 16),
        entry([0xFC], 7, .privateUse, size: 16), entry([0xFE, 0xC0], 10, .privateUse, size: 16),
        // The local-use translation prefix (RFC 8215).
        entry([0, 0x64, 0xFF, 0x9B, 0, 1], 48, .privateUse, size: 16),
        entry([0xFE, 0x80], 10, .linkLocal, size: 16), entry([0xFF], 8, .unusable, size: 16),
    ].compactMap(\.self)

    /// The IPv4 address that an IPv6 address leads to: mapped and compatible (RFC 4291 section 2.5.5), translated (RFC 6052
    /// section 2.1), and by 6to4 (RFC 3056 section 2); `nil` for every other address.
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
