// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
internal import Identities
internal import SwiftASN1
internal import X509

/// A key that verifies signatures of the algorithms that fit its kind.
enum VerificationKey {
    case secret(SymmetricKey)
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Creates a key from that of a certificate; `nil` if its kind is not supported.
    init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = P384.Signing.PublicKey(key) {
            self = .p384(key)
        } else if let key = P521.Signing.PublicKey(key) {
            self = .p521(key)
        } else if let key = Curve25519.Signing.PublicKey(key) {
            self = .ed25519(key)
        } else {
            var serializer = DER.Serializer()
            // Certificates of old systems have RSA keys of 1,024 bits, which the safe initializer refuses.
            guard (try? key.serialize(into: &serializer)) != nil,
                let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: serializer.serializedBytes)
            else { return nil }
            self = .rsa(key)
        }
    }

    /// Returns whether the signature of the bytes is valid; `false` if the algorithm does not fit the key.
    func isValid(_ signature: [UInt8], of bytes: [UInt8], by algorithm: XMLSignatureAlgorithm) -> Bool {
        switch algorithm {
        case .rsaSHA1: isValid(signature, of: Insecure.SHA1.hash(data: bytes), .insecurePKCS1v1_5)
        case .rsaSHA256: isValid(signature, of: SHA256.hash(data: bytes), .insecurePKCS1v1_5)
        case .rsaSHA384: isValid(signature, of: SHA384.hash(data: bytes), .insecurePKCS1v1_5)
        case .rsaSHA512: isValid(signature, of: SHA512.hash(data: bytes), .insecurePKCS1v1_5)
        case .pssSHA1: isValid(signature, of: Insecure.SHA1.hash(data: bytes), .PSS)
        case .pssSHA256: isValid(signature, of: SHA256.hash(data: bytes), .PSS)
        case .pssSHA384: isValid(signature, of: SHA384.hash(data: bytes), .PSS)
        case .pssSHA512: isValid(signature, of: SHA512.hash(data: bytes), .PSS)
        case .ecdsaSHA1: isValid(signature, of: Insecure.SHA1.hash(data: bytes))
        case .ecdsaSHA224: isValid(signature, of: SHA224.hash(data: bytes))
        case .ecdsaSHA256: isValid(signature, of: SHA256.hash(data: bytes))
        case .ecdsaSHA384: isValid(signature, of: SHA384.hash(data: bytes))
        case .ecdsaSHA512: isValid(signature, of: SHA512.hash(data: bytes))
        case .ecdsaSHA3_256: isValid(signature, of: SHA3_256.hash(data: bytes))
        case .ecdsaSHA3_384: isValid(signature, of: SHA3_384.hash(data: bytes))
        case .ecdsaSHA3_512: isValid(signature, of: SHA3_512.hash(data: bytes))
        case .ed25519: if case .ed25519(let key) = self { key.isValidSignature(signature, for: bytes) } else { false }
        case .hmacSHA1: isValid(signature, of: bytes, Insecure.SHA1.self)
        case .hmacSHA224: isValid(signature, of: bytes, SHA224.self)
        case .hmacSHA256: isValid(signature, of: bytes, SHA256.self)
        case .hmacSHA384: isValid(signature, of: bytes, SHA384.self)
        case .hmacSHA512: isValid(signature, of: bytes, SHA512.self)
        }
    }

    private func isValid(_ signature: [UInt8], of digest: some Digest, _ padding: _RSA.Signing.Padding) -> Bool {
        guard case .rsa(let key) = self else { return false }
        return key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: padding)
    }

    /// Verifies an ECDSA signature, which is the two numbers concatenated (RFC 9231 section 2.3.6).
    private func isValid(_ signature: [UInt8], of digest: some Digest) -> Bool {
        switch self {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature.numbers(of: 32))).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature.numbers(of: 48))).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature.numbers(of: 66))).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .secret, .rsa, .ed25519: false
        }
    }

    /// Verifies a complete message authentication code, whatever length a message specifies.
    private func isValid<Hash: HashFunction>(_ code: [UInt8], of bytes: [UInt8], _: Hash.Type) -> Bool {
        guard case .secret(let key) = self else { return false }
        return HMAC<Hash>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    }
}

extension [UInt8] {
    /// Returns the two halves as numbers of the given length in bytes.
    ///
    /// Some programs write too many or too few leading zeros.
    fileprivate func numbers(of length: Int) -> [UInt8] {
        guard count.isMultiple(of: 2) else { return self }
        return [self[..<(count / 2)], self[(count / 2)...]].flatMap { half in
            let digits = half.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: Swift.max(0, length - digits.count)) + digits
        }
    }
}
