// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The algorithm that encrypts a content's key for the holder of an RSA key (XML Encryption 1.1 section 5.5.2).
public enum KeyTransport: Sendable, Hashable, CaseIterable {
    /// RSA-OAEP with SHA-1, which every implementation has. The attacks on SHA-1 in signatures do not apply to it.
    case oaepSHA1
    /// RSA-OAEP with SHA-256, in the mask generation too.
    case oaepSHA256

    private var padding: _RSA.Encryption.Padding {
        switch self {
        case .oaepSHA1: .PKCS1_OAEP
        case .oaepSHA256: .PKCS1_OAEP_SHA256
        }
    }

    func encrypt(_ key: SymmetricKey, for recipient: Certificate.PublicKey) throws(XMLEncryptionError) -> [UInt8] {
        guard let rsa = try? _RSA.Encryption.PublicKey(derRepresentation: recipient.derBytes),
            let bytes = try? rsa.encrypt(key.withUnsafeBytes { Array($0) }, padding: padding)
        else { throw .unusableKey }
        return Array(bytes)
    }

    func decrypt(_ bytes: [UInt8], with key: _RSA.Encryption.PrivateKey) -> SymmetricKey? {
        (try? key.decrypt(bytes, padding: padding)).map { SymmetricKey(data: $0) }
    }
}

extension Certificate.PublicKey {
    /// Its `SubjectPublicKeyInfo`.
    var derBytes: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serialize(into: &serializer)
            return serializer.serializedBytes
        }
    }
}
