// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Object identifiers below id-pkix-ocsp, 1.3.6.1.5.5.7.48.1 (RFC 6960 appendix B).
enum OCSPIdentifiers {
    private static let base: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]

    static let basicResponse = base + [1]
    static let nonce = base + [2]
    static let noRevocationCheck = base + [5]
    static let extendedRevoke = base + [9]

    /// Whether it is this one, with tag and length.
    static func isEqual(_ encoded: ArraySlice<UInt8>, _ identifier: [UInt8]) -> Bool {
        encoded.dropFirst(2).elementsEqual(identifier)
    }
}
