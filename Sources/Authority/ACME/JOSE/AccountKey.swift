// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import X509

/// The key of an account, which signs its requests.
public struct AccountKey: Sendable {
    /// The public key that verifies the signatures.
    public let publicKey: JSONWebKey
    private let privateKey: Certificate.PrivateKey

    /// Makes an account's key of a private key.
    ///
    /// - Parameter key: RSA of 2,048 to 8,192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519.
    /// - Throws: ``JWSError/unusableKey`` for any other key.
    public init(_ key: Certificate.PrivateKey) throws(JWSError) {
        publicKey = try JSONWebKey(key.publicKey)
        privateKey = key
    }

    /// Signs as RFC 7518 section 3 wants it: ECDSA as two numbers of the curve's length, not in DER.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        func signature(_ algorithm: Certificate.SignatureAlgorithm) throws -> [UInt8] {
            try privateKey.sign(bytes: bytes, signatureAlgorithm: algorithm).rawRepresentation
        }
        switch publicKey.algorithm {
        case .rs256, .hs256:
            return try signature(.sha256WithRSAEncryption)
        case .es256:
            let der = try signature(.ecdsaWithSHA256)
            return Array(try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .es384:
            let der = try signature(.ecdsaWithSHA384)
            return Array(try P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .es512:
            let der = try signature(.ecdsaWithSHA512)
            return Array(try P521.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .edDSA:
            return try signature(.ed25519)
        }
    }
}

extension AccountKey: CustomStringConvertible, CustomReflectable {
    /// Returns "AccountKey" and the thumbprint, so that printing a key never reveals the private key.
    public var description: String { "AccountKey(\(publicKey.thumbprint))" }

    /// Shows the public key alone.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
