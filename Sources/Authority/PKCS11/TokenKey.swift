// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
package import EssentialFoundation
package import SwiftASN1
package import X509

/// A private key that stays in its token and signs there.
package struct TokenKey: CustomPrivateKey {
    private enum Kind {
        case elliptic(EllipticCurve)
        case rsa
    }

    /// The URI of the key.
    package let uri: TokenURI
    package let publicKey: Certificate.PublicKey
    private let token: Token
    private let kind: Kind

    init(_ uri: TokenURI, publicKey: Certificate.PublicKey, in token: Token) throws(TokenError) {
        (self.uri, self.publicKey, self.token) = (uri, publicKey, token)
        if P256.Signing.PublicKey(publicKey) != nil {
            kind = .elliptic(.p256)
        } else if P384.Signing.PublicKey(publicKey) != nil {
            kind = .elliptic(.p384)
        } else if _RSA.Signing.PublicKey(publicKey) != nil {
            kind = .rsa
        } else {
            throw .unsupportedKey
        }
    }

    package var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm {
        switch kind {
        case .elliptic(.p256): .ecdsaWithSHA256
        case .elliptic(.p384): .ecdsaWithSHA384
        case .rsa: .sha256WithRSAEncryption
        }
    }

    package var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] {
        switch kind {
        case .elliptic: [.ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512]
        case .rsa: [.sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption]
        }
    }

    /// Signs in the token.
    ///
    /// - Parameters:
    ///   - bytes: The data to sign.
    ///   - signatureAlgorithm: One of ``supportedSignatureAlgorithms``.
    /// - Returns: The signature, which was verified with the public key.
    /// - Throws: ``TokenError``.
    package func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        guard supportedSignatureAlgorithms.contains(signatureAlgorithm),
            let hash = SignatureHash(signatureAlgorithm)
        else { throw TokenError.unsupportedSignature("\(signatureAlgorithm)") }
        let signature = try sign(hash.digest(of: bytes), hash)
        // Another key may have replaced this one under the same name, and a defective token may sign wrongly.
        guard publicKey.isValidSignature(signature, for: bytes, signatureAlgorithm: signatureAlgorithm) else {
            throw TokenError.malformedAnswer(.sign)
        }
        return try Certificate.Signature(
            signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature[...]))
    }

    private func sign(_ digest: [UInt8], _ hash: SignatureHash) throws -> [UInt8] {
        switch kind {
        case .rsa: return try token.sign(hash.digestInfo(digest), with: uri, isRSA: true)
        case .elliptic(let curve):
            // ECDSA uses only the leftmost bits of a longer digest (FIPS 186-5 section 6.4.1).
            let raw = try token.sign(Array(digest.prefix(curve.size)), with: uri, isRSA: false)
            guard let signature = try? curve.signature(raw) else { throw TokenError.malformedAnswer(.sign) }
            return signature
        }
    }
}

extension TokenKey {
    package static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

    /// Throws an error, because the key never leaves its token.
    package func serialize(into coder: inout DER.Serializer) throws { throw TokenError.notExportable }
}

extension TokenKey: Hashable, CustomStringConvertible {
    package static func == (left: Self, right: Self) -> Bool {
        left.uri == right.uri && left.publicKey == right.publicKey
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(uri)
        hasher.combine(publicKey)
    }

    /// The URI of the key, without secrets.
    package var description: String { "TokenKey(\(uri))" }
}

/// The hash function of a signature, which is computed outside the token.
enum SignatureHash: CaseIterable {
    case sha256
    case sha384
    case sha512

    init?(_ algorithm: Certificate.SignatureAlgorithm) {
        switch algorithm {
        case .ecdsaWithSHA256, .sha256WithRSAEncryption: self = .sha256
        case .ecdsaWithSHA384, .sha384WithRSAEncryption: self = .sha384
        case .ecdsaWithSHA512, .sha512WithRSAEncryption: self = .sha512
        default: return nil
        }
    }

    func digest(of bytes: some DataProtocol) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// Returns the `DigestInfo` for RSASSA-PKCS1-v1_5, with the prefixes of RFC 8017 section 9.2, note 1.
    func digestInfo(_ digest: [UInt8]) -> [UInt8] {
        // The last byte of the object identifier 2.16.840.1.101.3.4.2.x selects the hash function.
        let number: UInt8 =
            switch self {
            case .sha256: 1
            case .sha384: 2
            case .sha512: 3
            }
        let length = UInt8(truncatingIfNeeded: digest.count)
        let beginning: [UInt8] = [
            0x30, length + 17, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number, 0x05,
            0x00, 0x04, length,
        ]
        return beginning + digest
    }
}
