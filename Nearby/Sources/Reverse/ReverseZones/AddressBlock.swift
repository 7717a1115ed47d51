// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// A block of addresses: all that begin with the same bits, written as a prefix such as `206.126.7.64/27`.
public struct AddressBlock: Hashable, Sendable {
    /// The first address.
    public let first: IPAddress
    /// How many bits all addresses of the block have in common: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// Reads a block.
    ///
    /// - Parameter text: The first address, a slash and the length of the prefix, in decimal digits without leading zeros.
    /// - Throws: ``ReverseZoneError/malformedBlock(_:)``, and ``ReverseZoneError/addressWithinBlock(_:first:)`` if the address is not
    ///   the block's first one.
    public init(_ text: String) throws(ReverseZoneError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            String(length) == parts[1], (0...address.bytes.count * 8).contains(length)
        else { throw .malformedBlock(text) }
        let masked = Self.masked(address.bytes, length)
        guard masked == address.bytes else {
            throw .addressWithinBlock(text, first: IPAddress(bytes: masked)?.description ?? "")
        }
        (first, prefixLength) = (address, length)
    }

    private init(_ first: IPAddress, _ prefixLength: Int) { (self.first, self.prefixLength) = (first, prefixLength) }

    private static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let bits = min(max(length - index * 8, 0), 8)
            return bits == 0 ? 0 : byte & (0xFF << (8 - bits))
        }
    }

    /// Whether an address is one of the block's.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let (whole, bits) = (prefixLength / 8, prefixLength % 8)
        guard address.bytes.prefix(whole).elementsEqual(first.bytes.prefix(whole)) else { return false }
        return bits == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - bits) == 0
    }

    /// Whether the two blocks have an address in common.
    public func overlaps(_ other: AddressBlock) -> Bool { contains(other.first) || other.contains(first) }

    /// Refuses blocks that have addresses in common.
    ///
    /// - Throws: ``ReverseZoneError/overlap(_:_:)``.
    package static func requireDistinct(_ blocks: [AddressBlock]) throws(ReverseZoneError) {
        // Of blocks that overlap one is within the other, so that two neighbours by their first addresses do too.
        let sorted = blocks.sorted { $0.first < $1.first }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.overlaps(next) {
            throw .overlap(one.description, next.description)
        }
    }

    /// How many bits a label of a reverse name stands for.
    var labelBits: Int { first.isIPv4 ? 8 : 4 }

    /// Whether the block is all that is below one reverse name.
    var isAtLabel: Bool { prefixLength % labelBits == 0 }

    /// The blocks of the next longer prefix that ends at a label, of which the block is made; the block itself where it ends at one.
    var partsAtLabels: [AddressBlock] {
        let length = (prefixLength + labelBits - 1) / labelBits * labelBits
        return (0..<(1 << (length - prefixLength))).compactMap { number in
            var bytes = first.bytes
            let (index, shift) = ((length - 1) / 8, (8 - length % 8) % 8)
            if length > 0 { bytes[index] += UInt8(number << shift) }
            return IPAddress(bytes: bytes).map { AddressBlock($0, length) }
        }
    }

    /// The reverse name of what the block's addresses have in common, as far as it ends at a label.
    package var name: DomainName {
        let count = prefixLength / labelBits
        let labels = IPAddress.reverseLabels(first.bytes).suffix(count)
        return (try? DomainName(labels: labels + IPAddress.top(isIPv4: first.isIPv4))) ?? .root
    }
}

extension AddressBlock: CustomStringConvertible {
    /// The first address, a slash and the length of the prefix.
    public var description: String { "\(first)/\(prefixLength)" }
}
