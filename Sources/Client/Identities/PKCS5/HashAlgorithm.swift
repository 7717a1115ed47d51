// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The hashes that key derivations and integrity checks use.
enum HashAlgorithm: CaseIterable {
    case sha1, sha224, sha256, sha384, sha512

    /// The hash of a digest's AlgorithmIdentifier (RFC 5754 section 2).
    init(digest algorithm: Algorithm) throws(IdentityError) {
        guard let hash = Self.allCases.first(where: { $0.identifier == algorithm.identifier }) else {
            throw algorithm.unsupported
        }
        self = hash
        try algorithm.requireNoParameters()
    }

    /// The hash of an HMAC's AlgorithmIdentifier (RFC 8018 appendix B.1.2).
    init(hmac algorithm: Algorithm) throws(IdentityError) {
        self =
            switch algorithm.identifier {
            case [1, 2, 840, 113549, 2, 7]: .sha1
            case [1, 2, 840, 113549, 2, 8]: .sha224
            case .hmacWithSHA256: .sha256
            case [1, 2, 840, 113549, 2, 10]: .sha384
            case [1, 2, 840, 113549, 2, 11]: .sha512
            default: throw algorithm.unsupported
            }
        try algorithm.requireNoParameters()
    }

    /// The same hash as swift-crypto's PBKDF2 names it.
    var pbkdf2: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha224: .insecureSHA224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    /// The identifier of the hash by itself (RFC 5754 section 2).
    var identifier: ASN1ObjectIdentifier {
        switch self {
        case .sha1: [1, 3, 14, 3, 2, 26]
        case .sha224: [2, 16, 840, 1, 101, 3, 4, 2, 4]
        case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
        case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
        case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
        }
    }

    /// The hash's name, as FIPS 180-4 spells it.
    var name: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha224: "SHA-224"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }

    /// The length of a hash, in bytes.
    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Computes an HMAC.
    func code(of message: [UInt8], key: SymmetricKey) -> [UInt8] {
        switch self {
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha224: Array(HMAC<SHA224>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }

    /// Compares an HMAC in constant time.
    func isValid(_ code: [UInt8], of message: [UInt8], key: SymmetricKey) -> Bool {
        switch self {
        case .sha1: HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha224: HMAC<SHA224>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: message, using: key)
        }
    }
}
