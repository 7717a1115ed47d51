// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Identities

/// The algorithm that digests the content of a reference (RFC 9231 section 2.1).
///
/// The raw value is its URI.
public enum DigestAlgorithm: String, CaseIterable, Sendable {
    /// SHA-1, which is broken: only for messages of old systems.
    case sha1 = "http://www.w3.org/2000/09/xmldsig#sha1"
    /// SHA-224.
    case sha224 = "http://www.w3.org/2001/04/xmldsig-more#sha224"
    /// SHA-256.
    case sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
    /// SHA-384.
    case sha384 = "http://www.w3.org/2001/04/xmldsig-more#sha384"
    /// SHA-512.
    case sha512 = "http://www.w3.org/2001/04/xmlenc#sha512"
    /// SHA3-256.
    case sha3_256 = "http://www.w3.org/2007/05/xmldsig-more#sha3-256"
    /// SHA3-384.
    case sha3_384 = "http://www.w3.org/2007/05/xmldsig-more#sha3-384"
    /// SHA3-512.
    case sha3_512 = "http://www.w3.org/2007/05/xmldsig-more#sha3-512"

    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha224: Array(SHA224.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        case .sha3_256: Array(SHA3_256.hash(data: bytes))
        case .sha3_384: Array(SHA3_384.hash(data: bytes))
        case .sha3_512: Array(SHA3_512.hash(data: bytes))
        }
    }
}
