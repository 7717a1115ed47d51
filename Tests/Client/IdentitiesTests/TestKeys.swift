// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import X509

@testable import Identities

/// A key of each type, and an identity of three certificates for it.
enum TestKeys: String, CaseIterable, Sendable {
    case rsa2048, p256, p384, p521, ed25519

    func identity() throws -> Identity {
        let key: Certificate.PrivateKey =
            switch self {
            case .rsa2048: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
            case .p384: Certificate.PrivateKey(P384.Signing.PrivateKey())
            case .p521: Certificate.PrivateKey(P521.Signing.PrivateKey())
            case .ed25519: Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
            }
        return try Identity(chain: TestChain(leafKey: key).certificates, privateKey: key)
    }
}
