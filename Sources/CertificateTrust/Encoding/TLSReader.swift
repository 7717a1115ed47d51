// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the structures of TLS's presentation language (RFC 8446 section 3).
struct TLSReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func integer(octets: Int) -> Int? {
        bytes(octets)?.reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector, whose length stands before it in so many octets.
    mutating func vector(lengthOctets octets: Int) -> ArraySlice<UInt8>? {
        integer(octets: octets).flatMap { bytes($0) }
    }
}
