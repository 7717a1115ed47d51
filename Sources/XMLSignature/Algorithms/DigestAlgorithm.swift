// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Identities

/// How what a reference names is digested (RFC 9231 section 2.1).
public enum DigestAlgorithm: String, CaseIterable, Sendable {
    /// Broken: only for messages of old systems.
    case sha1 = "http://www.w3.org/2000/09/xmldsig#sha1"
    case sha224 = "http://www.w3.org/2001/04/xmldsig-more#sha224"
    case sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
    case sha384 = "http://www.w3.org/2001/04/xmldsig-more#sha384"
    case sha512 = "http://www.w3.org/2001/04/xmlenc#sha512"
    case sha3_256 = "http://www.w3.org/2007/05/xmldsig-more#sha3-256"
    case sha3_384 = "http://www.w3.org/2007/05/xmldsig-more#sha3-384"
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
