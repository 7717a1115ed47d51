// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The addresses that begin with the same bits (RFC 4632 section 3.1, RFC 4291 section 2.3).
struct AddressBlock: Hashable, Sendable {
    private let bytes: [UInt8]
    /// How many bits are the same.
    private let prefix: Int

    /// - Parameters:
    ///   - bytes: One of the addresses, 4 or 16 bytes.
    ///   - prefix: 0 to 32 or to 128; `nil` comes of a larger one.
    init?(_ bytes: [UInt8], prefix: Int) {
        guard (0...bytes.count * 8).contains(prefix) else { return nil }
        let plain = Self.unmapped(bytes)
        let mapping = (bytes.count - plain.count) * 8
        // A block that is larger than all mapped addresses is one of IPv6.
        guard prefix >= mapping else {
            (self.bytes, self.prefix) = (bytes, prefix)
            return
        }
        (self.bytes, self.prefix) = (plain, prefix - mapping)
    }

    func contains(_ address: [UInt8]) -> Bool {
        let address = Self.unmapped(address)
        guard address.count == bytes.count else { return false }
        let (whole, bits) = (prefix / 8, prefix % 8)
        guard address.prefix(whole) == bytes.prefix(whole) else { return false }
        return bits == 0 || (address[whole] ^ bytes[whole]) >> (8 - bits) == 0
    }

    /// An IPv4 address as it is where it is written as one of IPv6 (RFC 4291 section 2.5.5.2), which leads to the same host.
    private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: mapping) ? Array(bytes.dropFirst(12)) : bytes
    }
}
