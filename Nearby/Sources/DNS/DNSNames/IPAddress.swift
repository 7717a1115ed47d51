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
    /// The four bytes of an IPv4 address or the sixteen bytes of an IPv6 address, in network byte order.
    public let bytes: [UInt8]

    /// Creates an address from bytes in network byte order; returns `nil` unless there are four or sixteen bytes.
    public init?(bytes: [UInt8]) {
        guard [4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Parses an address such as `192.0.2.1` or `2001:db8::1`; returns `nil` for any other text.
    ///
    /// - Parameter text: Four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 section 2.2) without
    ///   brackets or zone.
    public init?(_ text: String) {
        // The C function reads the text only up to the first NUL.
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

    /// Whether this is an IPv4 address; otherwise it is an IPv6 address.
    public var isIPv4: Bool { bytes.count == 4 }

    /// The owner name of the address's PTR record, below in-addr.arpa (RFC 1035 section 3.5) or ip6.arpa (RFC 3596
    /// section 2.5).
    public var reverseName: DomainName {
        // The name has at most 34 short labels, so it is never too long.
        (try? DomainName(labels: Self.reverseLabels(bytes) + Self.top(isIPv4: isIPv4))) ?? .root
    }

    /// Returns the labels of the leading octets (IPv4) or of the nibbles of the leading bytes (IPv6), the deepest label
    /// first.
    package static func reverseLabels(_ bytes: some Collection<UInt8>, isIPv4: Bool? = nil) -> [[UInt8]] {
        if isIPv4 ?? (bytes.count == 4) { return bytes.reversed().map { octetLabels[Int($0)] } }
        return bytes.flatMap { [$0 >> 4, $0 & 0xF] }.reversed().map { nibbleLabels[Int($0)] }
    }

    /// The labels are computed once, because millions of names share them.
    private static let octetLabels = (0...255).map { Array(String($0).utf8) }
    private static let nibbleLabels = (0...15).map { Array(String($0, radix: 16).utf8) }

    /// Returns the domain of all reverse names of IPv4 or IPv6.
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
    /// Returns whether the first address sorts before the second: by bytes, and IPv4 before IPv6.
    public static func < (one: IPAddress, other: IPAddress) -> Bool {
        one.bytes.count == other.bytes.count
            ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.bytes.count < other.bytes.count
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text, such as `192.0.2.1`; IPv6 in the format of RFC 5952.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
