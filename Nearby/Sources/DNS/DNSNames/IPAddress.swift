// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
    /// The four bytes of an IPv4 address or the sixteen of an IPv6 address, in network order.
    public let bytes: [UInt8]

    /// Makes an address of its bytes in network order; `nil` unless there are four or sixteen.
    public init?(bytes: [UInt8]) {
        guard [4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads an address such as `192.0.2.1` or `2001:db8::1`; `nil` for any other text.
    ///
    /// - Parameter text: Four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 section 2.2) without brackets and zone.
    public init?(_ text: String) {
        // The system reads a text to its first zero.
        guard !text.utf8.contains(0) else { return nil }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }

    /// Whether this is an IPv4 address, and not an IPv6 address.
    public var isIPv4: Bool { bytes.count == 4 }

    /// The name of the address's PTR record: below in-addr.arpa (RFC 1035 section 3.5) or ip6.arpa (RFC 3596 section 2.5).
    public var reverseName: DomainName {
        // Of 33 short labels at most, so that it is never too long.
        (try? DomainName(labels: Self.reverseLabels(bytes) + Self.top(isIPv4: isIPv4))) ?? .root
    }

    /// The labels of the first octets of IPv4, or of the nibbles of the first bytes of IPv6, the deepest one first.
    package static func reverseLabels(_ bytes: some Collection<UInt8>, isIPv4: Bool? = nil) -> [[UInt8]] {
        if isIPv4 ?? (bytes.count == 4) { return bytes.reversed().map { octetLabels[Int($0)] } }
        return bytes.flatMap { [$0 >> 4, $0 & 0xF] }.reversed().map { nibbleLabels[Int($0)] }
    }

    /// Made once, because millions of names have the same labels.
    private static let octetLabels = (0...255).map { Array(String($0).utf8) }
    private static let nibbleLabels = (0...15).map { Array(String($0, radix: 16).utf8) }

    /// The domain of all reverse names of a kind of address.
    package static func top(isIPv4: Bool) -> [[UInt8]] {
        [Array((isIPv4 ? "in-addr" : "ip6").utf8), Array("arpa".utf8)]
    }
}

extension DomainName {
    /// The address whose reverse name this is; `nil` for any other name.
    public var reverseAddress: IPAddress? {
        let texts = labels.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let (own, top) = (texts.dropLast(2).reversed(), texts.suffix(2))
        var bytes: [UInt8]
        switch (own.count, top) {
        case (4, ["in-addr", "arpa"]): bytes = own.compactMap { UInt8($0) }
        case (32, ["ip6", "arpa"]):
            let digits = own.filter { $0.utf8.count == 1 }.compactMap { UInt8($0, radix: 16) }
            guard digits.count == 32 else { return nil }
            bytes = (0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
        default: return nil
        }
        guard let address = IPAddress(bytes: bytes), address.reverseName == self else { return nil }
        return address
    }
}

extension IPAddress: Comparable {
    /// Whether the first address comes before the second one: by their bytes, and IPv4 before IPv6.
    public static func < (one: IPAddress, other: IPAddress) -> Bool {
        one.bytes.count == other.bytes.count
            ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.bytes.count < other.bytes.count
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text, such as `192.0.2.1`; IPv6 as RFC 5952 writes it.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
