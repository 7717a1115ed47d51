// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
public import X509

extension CertificateAuthority {
    /// The kinds of key that an authority makes.
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

        /// Makes a key.
        ///
        /// - Returns: A new key in this process's memory.
        /// - Throws: What swift-crypto throws where it cannot make an RSA key.
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
