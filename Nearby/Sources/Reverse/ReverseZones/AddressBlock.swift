// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// An address block, written as a prefix such as `206.126.7.64/27`.
public struct AddressBlock: Hashable, Sendable {
    /// The first address.
    public let first: IPAddress
    /// The number of leading bits that all addresses share: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// Parses a block.
    ///
    /// - Parameter text: The first address, a slash and the prefix length, in decimal digits without leading zeros.
    /// - Throws: ``ReverseZoneError/malformedBlock(_:)``, and ``ReverseZoneError/addressWithinBlock(_:first:)`` if the
    ///   address is not the first one of the block.
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

    /// Returns whether the block contains an address.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let (wholeBytes, bits) = (prefixLength / 8, prefixLength % 8)
        guard address.bytes.prefix(wholeBytes).elementsEqual(first.bytes.prefix(wholeBytes)) else { return false }
        return bits == 0 || (address.bytes[wholeBytes] ^ first.bytes[wholeBytes]) >> (8 - bits) == 0
    }

    /// Returns whether two blocks overlap.
    public func overlaps(_ other: AddressBlock) -> Bool { contains(other.first) || other.contains(first) }

    /// Requires that no two blocks overlap.
    ///
    /// - Throws: ``ReverseZoneError/overlap(_:_:)``.
    package static func requireDistinct(_ blocks: [AddressBlock]) throws(ReverseZoneError) {
        // If two blocks overlap, one contains the other, so two neighbors in the order of first addresses also overlap.
        let sorted = blocks.sorted { $0.first < $1.first }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.overlaps(next) {
            throw .overlap(one.description, next.description)
        }
    }

    /// The number of address bits in one label of a reverse name.
    var labelBits: Int { first.isIPv4 ? 8 : 4 }

    /// Whether the block ends at a label boundary, so that it has its own reverse name.
    var isAtLabel: Bool { prefixLength % labelBits == 0 }

    /// The parts of the block at the next label boundary; the block itself if it ends at a label boundary.
    var partsAtLabels: [AddressBlock] {
        let length = (prefixLength + labelBits - 1) / labelBits * labelBits
        return (0..<(1 << (length - prefixLength))).compactMap { number in
            var bytes = first.bytes
            let (index, shift) = ((length - 1) / 8, (8 - length % 8) % 8)
            if length > 0 { bytes[index] += UInt8(number << shift) }
            return IPAddress(bytes: bytes).map { AddressBlock($0, length) }
        }
    }

    /// The reverse name of the longest common prefix that ends at a label boundary.
    package var name: DomainName {
        let count = prefixLength / labelBits
        let labels = IPAddress.reverseLabels(first.bytes).suffix(count)
        return (try? DomainName(labels: labels + IPAddress.top(isIPv4: first.isIPv4))) ?? .root
    }
}

extension AddressBlock: CustomStringConvertible {
    /// The first address, a slash and the prefix length.
    public var description: String { "\(first)/\(prefixLength)" }
}
