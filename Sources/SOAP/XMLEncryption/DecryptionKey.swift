// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CryptoExtras
internal import SwiftASN1
public import X509

/// A key that decrypts content, or the content keys in a message.
@nonexhaustive
public enum DecryptionKey: Sendable {
    /// An RSA private key, which decrypts content keys.
    case privateKey(Certificate.PrivateKey)
    /// A shared key of 16, 24 or 32 bytes, which decrypts content keys.
    ///
    /// A key with a name is not tried if the message specifies another name.
    case shared([UInt8], name: String? = nil)
    /// A shared key that decrypts the content itself: 16, 24 or 32 bytes, as the content's algorithm requires.
    ///
    /// A key with a name is not tried if the message specifies another name.
    case content([UInt8], name: String? = nil)

    /// The RSA private key; `nil` for other keys.
    var rsa: _RSA.Encryption.PrivateKey? {
        guard case .privateKey(let key) = self, let pem = try? key.serializeAsPEM().pemString else { return nil }
        return try? _RSA.Encryption.PrivateKey(pemRepresentation: pem)
    }
}
