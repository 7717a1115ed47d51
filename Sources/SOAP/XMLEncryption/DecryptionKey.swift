// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CryptoExtras
internal import SwiftASN1
public import X509

/// A key that decrypts content, or the keys of content.
public enum DecryptionKey: Sendable {
    /// A private key of RSA, which decrypts the keys of content.
    case privateKey(Certificate.PrivateKey)
    /// A shared key of 16, 24 or 32 bytes, which decrypts the keys of content.
    ///
    /// Where it has a name and the message names another one, it is not tried.
    case shared([UInt8], name: String? = nil)
    /// A shared key that decrypts the content itself: 16, 24 or 32 bytes, as the content's algorithm requires.
    ///
    /// Where it has a name and the message names another one, it is not tried.
    case content([UInt8], name: String? = nil)

    /// As RSA's; `nil` for other keys.
    var rsa: _RSA.Encryption.PrivateKey? {
        guard case .privateKey(let key) = self, let pem = try? key.serializeAsPEM().pemString else { return nil }
        return try? _RSA.Encryption.PrivateKey(pemRepresentation: pem)
    }
}
