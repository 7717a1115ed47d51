// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the structures of TLS's presentation language (RFC 8446 section 3), which Certificate Transparency uses too.
package struct TLSReader {
    /// What is not read yet.
    package private(set) var rest: ArraySlice<UInt8>

    /// A reader at the front of bytes.
    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// A big-endian integer of up to 7 octets; `nil` where fewer are left.
    package mutating func integer(octets: Int) -> Int? {
        bytes(octets)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next bytes; `nil` where fewer are left.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector, whose length stands before it in so many octets; `nil` where it is shorter than that length.
    package mutating func vector(lengthOctets octets: Int) -> ArraySlice<UInt8>? {
        integer(octets: octets).flatMap { bytes($0) }
    }
}

/// Writes the TLS presentation language.
enum TLSEncoding {
    static func integer(_ value: UInt64, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func vector(_ content: some Collection<UInt8>, lengthOctets: Int) -> [UInt8] {
        integer(UInt64(content.count), octets: lengthOctets) + content
    }
}
