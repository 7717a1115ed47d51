// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How the bytes of `SignedInfo` are signed (RFC 9231 section 2.3, XML Signature 1.1 section 6.3).
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// Broken: only for messages of old systems.
    case rsaSHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
    case rsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    case rsaSHA384 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384"
    case rsaSHA512 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
    /// Broken: only for messages of old systems.
    case pssSHA1 = "http://www.w3.org/2007/05/xmldsig-more#sha1-rsa-MGF1"
    case pssSHA256 = "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1"
    case pssSHA384 = "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1"
    case pssSHA512 = "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1"
    /// Broken: only for messages of old systems.
    case ecdsaSHA1 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1"
    case ecdsaSHA224 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha224"
    case ecdsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
    case ecdsaSHA384 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384"
    case ecdsaSHA512 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512"
    case ecdsaSHA3_256 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-256"
    case ecdsaSHA3_384 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-384"
    case ecdsaSHA3_512 = "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-512"
    case ed25519 = "http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"
    /// Old, but not broken; still only for messages of old systems.
    case hmacSHA1 = "http://www.w3.org/2000/09/xmldsig#hmac-sha1"
    case hmacSHA224 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha224"
    case hmacSHA256 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"
    case hmacSHA384 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha384"
    case hmacSHA512 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha512"

    /// Whether it rests on SHA-1.
    public var isLegacy: Bool {
        switch self {
        case .rsaSHA1, .pssSHA1, .ecdsaSHA1, .hmacSHA1: true
        default: false
        }
    }
}
