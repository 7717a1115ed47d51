// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
public import X509

extension CertificateAuthority {
    /// The type of a key that the authority creates.
    @nonexhaustive
    public enum KeyType: String, Hashable, Sendable, CaseIterable {
        /// ECDSA on NIST P-256.
        case p256
        /// ECDSA on NIST P-384.
        case p384
        /// RSA with a modulus of 2,048 bits, for peers that support nothing newer.
        case rsa2048
        /// RSA with a modulus of 3,072 bits.
        case rsa3072
        /// RSA with a modulus of 4,096 bits.
        case rsa4096
        /// Ed25519 (RFC 8410), which browsers do not support.
        case ed25519

        /// Creates a key.
        ///
        /// - Returns: A new key in this process's memory.
        /// - Throws: The error of swift-crypto if it cannot create an RSA key.
        public func makeKey() throws -> Certificate.PrivateKey {
            switch self {
            case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
            case .p384: Certificate.PrivateKey(P384.Signing.PrivateKey())
            case .rsa2048: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .rsa3072: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits3072))
            case .rsa4096: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits4096))
            case .ed25519: Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
            }
        }
    }
}

/// The signature algorithm of a key, as encoded in certificates and revocation lists (RFC 5758, RFC 8410, RFC 4055).
struct SigningAlgorithm {
    let signature: Certificate.SignatureAlgorithm
    private let identifier: ASN1ObjectIdentifier
    /// Whether the parameters are NULL, as for RSA.
    ///
    /// For the other algorithms, they are absent.
    private let hasNull: Bool

    init(_ key: Certificate.PublicKey) throws(CertificateAuthorityError) {
        if P256.Signing.PublicKey(key) != nil {
            (signature, identifier, hasNull) = (.ecdsaWithSHA256, [1, 2, 840, 10045, 4, 3, 2], false)
        } else if P384.Signing.PublicKey(key) != nil {
            (signature, identifier, hasNull) = (.ecdsaWithSHA384, [1, 2, 840, 10045, 4, 3, 3], false)
        } else if P521.Signing.PublicKey(key) != nil {
            (signature, identifier, hasNull) = (.ecdsaWithSHA512, [1, 2, 840, 10045, 4, 3, 4], false)
        } else if _RSA.Signing.PublicKey(key) != nil {
            (signature, identifier, hasNull) = (.sha256WithRSAEncryption, [1, 2, 840, 113549, 1, 1, 11], true)
        } else if Curve25519.Signing.PublicKey(key) != nil {
            (signature, identifier, hasNull) = (.ed25519, [1, 3, 101, 112], false)
        } else {
            throw .unsupportedKey
        }
    }

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(identifier)
            if hasNull { try fields.serialize(ASN1Null()) }
        }
    }
}

extension DER {
    /// Encodes a signed structure: the body, the signature algorithm, the signature, and optional further fields.
    static func signed(
        _ body: [UInt8], by key: Certificate.PrivateKey,
        followedBy rest: (inout DER.Serializer) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let algorithm = try SigningAlgorithm(key.publicKey)
        let signature = try key.sign(bytes: body, signatureAlgorithm: algorithm.signature)
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { parts in
            parts.serializeRawBytes(body)
            try algorithm.serialize(into: &parts)
            try parts.serialize(ASN1BitString(bytes: signature.rawRepresentation[...]))
            try rest(&parts)
        }
        return serializer.serializedBytes
    }
}
