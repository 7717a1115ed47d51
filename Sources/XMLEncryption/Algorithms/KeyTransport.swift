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

/// How a content's key is encrypted for the holder of an RSA key (XML Encryption 1.1 section 5.5.2).
public enum KeyTransport: Sendable, Hashable, CaseIterable {
    /// OAEP with SHA-1, which every implementation has; it is not broken by what breaks SHA-1 in signatures.
    case oaepSHA1
    /// OAEP with SHA-256, in the mask too.
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
