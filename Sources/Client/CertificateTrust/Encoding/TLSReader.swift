// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A reader of the TLS presentation language (RFC 8446 section 3), which Certificate Transparency uses too.
package struct TLSReader {
    /// The bytes that were not read yet.
    package private(set) var rest: ArraySlice<UInt8>

    /// Makes a reader at the beginning of the bytes.
    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Reads a big-endian integer of up to 7 octets; `nil` if fewer remain.
    package mutating func integer(octets: Int) -> Int? {
        bytes(octets)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a number of bytes; `nil` if fewer remain.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads a vector after its length in the given number of octets; `nil` if it is truncated.
    package mutating func vector(lengthOctets octets: Int) -> ArraySlice<UInt8>? {
        integer(octets: octets).flatMap { bytes($0) }
    }
}

/// Encodes in the TLS presentation language.
enum TLSEncoding {
    static func integer(_ value: UInt64, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func vector(_ content: some Collection<UInt8>, lengthOctets: Int) -> [UInt8] {
        integer(UInt64(content.count), octets: lengthOctets) + content
    }
}
