// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Octets of a request that its response gives back (RFC 9654).
enum OCSPNonce {
    static let lengths = 1...128

    /// What an extension holds: an octet string in the octet string.
    static func read(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        var reader = DERReader(value)
        let nonce = try reader.only(DERTag.octetString, .extensions).content
        guard lengths.contains(nonce.count) else { throw .nonceLength(nonce.count) }
        return nonce
    }
}
