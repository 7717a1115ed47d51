// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The extensions of a handshake message (RFC 8446 section 4.2), each at most once.
struct TLSExtensions {
    private var contents: [Int: ArraySlice<UInt8>] = [:]

    /// Reads a block of extensions; the result is `nil` if it is malformed, or contains an extension twice.
    init?(_ block: ArraySlice<UInt8>) {
        var reader = TLSReader(block)
        while !reader.rest.isEmpty {
            guard let type = reader.integer(octets: 2), let content = reader.vector(lengthOctets: 2),
                contents.updateValue(content, forKey: type) == nil
            else { return nil }
        }
    }

    subscript(type: Int) -> ArraySlice<UInt8>? { contents[type] }
}
