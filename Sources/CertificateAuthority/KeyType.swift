// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import X509

extension CertificateAuthority {
    /// The kinds of key that an authority makes.
    public enum KeyType: Hashable, Sendable {
        /// ECDSA on NIST P-256.
        case p256
        /// RSA with a modulus of 2,048 bits, for peers that know nothing newer.
        case rsa2048
    }
}

extension CertificateAuthority.KeyType {
    func makeKey() throws -> Certificate.PrivateKey {
        switch self {
        case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
        case .rsa2048: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        }
    }
}
