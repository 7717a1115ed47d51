// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Takes vectors and integers of the TLS presentation language off the front of bytes (RFC 5246 section 4).
struct TLSReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next bytes; `nil` where fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A big-endian integer.
    mutating func takeInteger(octets: Int) -> UInt64? {
        take(octets)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A vector whose length is in so many octets before it; `nil` where it is shorter than that length.
    mutating func takeVector(lengthOctets: Int) -> ArraySlice<UInt8>? {
        takeInteger(octets: lengthOctets).flatMap { take(Int($0)) }
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
