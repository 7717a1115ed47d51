// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Identities

/// The algorithm that signs `SignedInfo` (RFC 9231 sections 2.2 and 2.3, XML Signature 1.1 sections 6.3 and 6.4).
///
/// The raw value is the algorithm's URI. ECDSA with SHA-1, SHA-224 or SHA-3 is supported only for verification,
/// not by ``PrivateSigningKey``.
@nonexhaustive
public enum XMLSignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-1, which is broken: only for messages of old systems.
    case rsaSHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rsaSHA384 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rsaSHA512 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
    /// RSASSA-PSS with SHA-1, which is broken: only for messages of old systems.
    case pssSHA1 = "http://www.w3.org/2007/05/xmldsig-more#sha1-rsa-MGF1"
    /// RSASSA-PSS with SHA-256.
    case pssSHA256 = "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1"
    /// RSASSA-PSS with SHA-384.
    case pssSHA384 = "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1"
    /// RSASSA-PSS with SHA-512.
    case pssSHA512 = "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1"
    /// ECDSA with SHA-1, which is broken: only for messages of old systems.
    case ecdsaSHA1 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1"
    /// ECDSA with SHA-224.
    case ecdsaSHA224 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha224"
    /// ECDSA with SHA-256.
    case ecdsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
    /// ECDSA with SHA-384.
    case ecdsaSHA384 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384"
    /// ECDSA with SHA-512.
    case ecdsaSHA512 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512"
    /// ECDSA with SHA3-256.
    case ecdsaSHA3_256 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-256"
    /// ECDSA with SHA3-384.
    case ecdsaSHA3_384 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-384"
    /// ECDSA with SHA3-512.
    case ecdsaSHA3_512 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-512"
    /// EdDSA with the curve Ed25519.
    case ed25519 = "http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"
    /// HMAC with SHA-1, which is outdated but not broken: only for messages of old systems.
    case hmacSHA1 = "http://www.w3.org/2000/09/xmldsig#hmac-sha1"
    /// HMAC with SHA-224.
    case hmacSHA224 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha224"
    /// HMAC with SHA-256.
    case hmacSHA256 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"
    /// HMAC with SHA-384.
    case hmacSHA384 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha384"
    /// HMAC with SHA-512.
    case hmacSHA512 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha512"

    /// Whether the algorithm uses SHA-1.
    public var isLegacy: Bool {
        switch self {
        case .rsaSHA1, .pssSHA1, .ecdsaSHA1, .hmacSHA1: true
        default: false
        }
    }
}

/// The algorithm that digests the content of a reference (RFC 9231 section 2.1).
///
/// The raw value is the algorithm's URI.
@nonexhaustive
public enum XMLDigestAlgorithm: String, CaseIterable, Sendable {
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
