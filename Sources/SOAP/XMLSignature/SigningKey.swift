// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
internal import Identities
internal import SwiftASN1
public import X509

/// A signing key, in this process or elsewhere.
public protocol SigningKey: Sendable {
    /// The algorithm of ``signature(of:)``.
    var algorithm: XMLSignatureAlgorithm { get }

    /// Signs bytes.
    ///
    /// - Parameter bytes: The canonical form of `SignedInfo`, not its hash.
    /// - Returns: The signature; for ECDSA, the two numbers concatenated, each as long as the curve's order.
    /// - Throws: Any error that prevents signing. The signer rethrows it.
    func signature(of bytes: [UInt8]) async throws -> [UInt8]
}

/// A private key in memory, or a reference to one in a token.
public struct PrivateSigningKey: SigningKey {
    /// The algorithm of ``signature(of:)``.
    public let algorithm: XMLSignatureAlgorithm
    private let key: Certificate.PrivateKey

    /// Creates a signing key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - algorithm: The algorithm; `nil`, the default, for SHA-256 or, with the curves P-384 and P-521,
    ///     SHA-384 or SHA-512.
    /// - Throws: ``XMLSignatureError/unusableKey`` if the algorithm does not fit the key.
    public init(_ key: Certificate.PrivateKey, algorithm: XMLSignatureAlgorithm? = nil) throws(XMLSignatureError) {
        guard let verifying = VerificationKey(key.publicKey) else { throw .unusableKey }
        let algorithm = algorithm ?? verifying.usualAlgorithm
        guard verifying.isFor(algorithm) else { throw .unusableKey }
        (self.key, self.algorithm) = (key, algorithm)
    }

    /// Signs bytes, as described at ``SigningKey/signature(of:)``.
    ///
    /// - Throws: ``XMLSignatureError/unusableKey``, and errors of the cryptographic library or the token.
    public func signature(of bytes: [UInt8]) async throws -> [UInt8] {
        switch algorithm {
        case .rsaSHA1: try await sign(bytes, .sha1WithRSAEncryption)
        case .rsaSHA256: try await sign(bytes, .sha256WithRSAEncryption)
        case .rsaSHA384: try await sign(bytes, .sha384WithRSAEncryption)
        case .rsaSHA512: try await sign(bytes, .sha512WithRSAEncryption)
        case .pssSHA1: try pssSignature(of: Insecure.SHA1.hash(data: bytes))
        case .pssSHA256: try pssSignature(of: SHA256.hash(data: bytes))
        case .pssSHA384: try pssSignature(of: SHA384.hash(data: bytes))
        case .pssSHA512: try pssSignature(of: SHA512.hash(data: bytes))
        case .ecdsaSHA256: try numbers(await sign(bytes, .ecdsaWithSHA256))
        case .ecdsaSHA384: try numbers(await sign(bytes, .ecdsaWithSHA384))
        case .ecdsaSHA512: try numbers(await sign(bytes, .ecdsaWithSHA512))
        case .ed25519: try await sign(bytes, .ed25519)
        case .ecdsaSHA1, .ecdsaSHA224, .ecdsaSHA3_256, .ecdsaSHA3_384, .ecdsaSHA3_512, .hmacSHA1, .hmacSHA224,
            .hmacSHA256, .hmacSHA384, .hmacSHA512:
            throw XMLSignatureError.unusableKey
        }
    }

    private func sign(_ bytes: [UInt8], _ algorithm: Certificate.SignatureAlgorithm) async throws -> [UInt8] {
        Array(try await key.signAsynchronously(bytes: bytes, signatureAlgorithm: algorithm).rawRepresentation)
    }

    private func pssSignature(of digest: some Digest) throws -> [UInt8] {
        let key = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: key.serializeAsPEM().derBytes)
        return Array(try key.signature(for: digest, padding: .PSS).rawRepresentation)
    }

    /// Converts a DER-encoded signature to the two numbers concatenated.
    private func numbers(_ der: [UInt8]) throws -> [UInt8] {
        switch VerificationKey(key.publicKey) {
        case .p256: Array(try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .p384: Array(try P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .p521: Array(try P521.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .secret, .rsa, .ed25519, nil: throw XMLSignatureError.unusableKey
        }
    }
}

/// A shared secret, which signs with a message authentication code (HMAC).
public struct SharedSigningKey: SigningKey {
    /// The algorithm of ``signature(of:)``.
    public let algorithm: XMLSignatureAlgorithm
    private let secret: SymmetricKey

    /// Creates a signing key from a secret, for HMAC with SHA-256 by default.
    ///
    /// - Throws: ``XMLSignatureError/unusableKey`` if the algorithm is not an HMAC.
    public init(
        _ secret: [UInt8], algorithm: XMLSignatureAlgorithm = .hmacSHA256
    ) throws(XMLSignatureError) {
        self.secret = SymmetricKey(data: secret)
        guard VerificationKey.secret(self.secret).isFor(algorithm) else { throw .unusableKey }
        self.algorithm = algorithm
    }

    /// Signs bytes, as described in ``SigningKey/signature(of:)``; throws no errors.
    public func signature(of bytes: [UInt8]) async throws -> [UInt8] {
        switch algorithm {
        case .hmacSHA1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: secret))
        case .hmacSHA224: Array(HMAC<SHA224>.authenticationCode(for: bytes, using: secret))
        case .hmacSHA384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: secret))
        case .hmacSHA512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: secret))
        default: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
        }
    }
}

extension VerificationKey {
    /// Returns whether the key can sign and verify with the algorithm.
    fileprivate func isFor(_ algorithm: XMLSignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.secret, .hmacSHA1), (.secret, .hmacSHA256), (.secret, .hmacSHA384), (.secret, .hmacSHA512): true
        case (.rsa, .rsaSHA1), (.rsa, .rsaSHA256), (.rsa, .rsaSHA384), (.rsa, .rsaSHA512): true
        case (.secret, .hmacSHA224), (.rsa, .pssSHA1): true
        case (.rsa, .pssSHA256), (.rsa, .pssSHA384), (.rsa, .pssSHA512): true
        case (.p256, .ecdsaSHA256), (.p384, .ecdsaSHA256), (.p521, .ecdsaSHA256): true
        case (.p256, .ecdsaSHA384), (.p384, .ecdsaSHA384), (.p521, .ecdsaSHA384): true
        case (.p256, .ecdsaSHA512), (.p384, .ecdsaSHA512), (.p521, .ecdsaSHA512): true
        case (.ed25519, .ed25519): true
        default: false
        }
    }

    fileprivate var usualAlgorithm: XMLSignatureAlgorithm {
        switch self {
        case .secret: .hmacSHA256
        case .rsa: .rsaSHA256
        case .p256: .ecdsaSHA256
        case .p384: .ecdsaSHA384
        case .p521: .ecdsaSHA512
        case .ed25519: .ed25519
        }
    }
}
