// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import X509

extension Certificate.PublicKey {
    /// The type and the size, as a person writes them: "RSA-2048", "P-256", "Ed25519".
    var typeName: String {
        if P256.Signing.PublicKey(self) != nil { return "P-256" }
        if P384.Signing.PublicKey(self) != nil { return "P-384" }
        if P521.Signing.PublicKey(self) != nil { return "P-521" }
        if Curve25519.Signing.PublicKey(self) != nil { return "Ed25519" }
        if let key = _RSA.Signing.PublicKey(self) { return "RSA-\(key.keySizeInBits)" }
        return description
    }
}
