// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
internal import SwiftASN1
internal import X509

/// The algorithm that encrypts a content key with an RSA key (XML Encryption 1.1 section 5.5.2).
@nonexhaustive
public enum KeyTransport: Sendable, Hashable, CaseIterable {
    /// RSA-OAEP with SHA-1, which every implementation supports. The attacks on SHA-1 signatures do not apply to it.
    case oaepSHA1
    /// RSA-OAEP with SHA-256, also for the mask generation.
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
    /// The DER encoding of the `SubjectPublicKeyInfo`.
    var derBytes: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serialize(into: &serializer)
            return serializer.serializedBytes
        }
    }
}

/// The algorithm that encrypts a content key with a shared key (XML Encryption 1.1 section 5.7, RFC 3394).
///
/// The raw value is the algorithm's URI.
@nonexhaustive
public enum KeyWrap: String, Sendable, CaseIterable {
    /// AES Key Wrap with a key of 128 bits.
    case aes128 = "http://www.w3.org/2001/04/xmlenc#kw-aes128"
    /// AES Key Wrap with a key of 192 bits.
    case aes192 = "http://www.w3.org/2001/04/xmlenc#kw-aes192"
    /// AES Key Wrap with a key of 256 bits.
    case aes256 = "http://www.w3.org/2001/04/xmlenc#kw-aes256"

    /// Creates the algorithm for a key length in bits.
    init?(bits: Int) {
        switch bits {
        case 128: self = .aes128
        case 192: self = .aes192
        case 256: self = .aes256
        default: return nil
        }
    }

    var keyBits: Int {
        switch self {
        case .aes128: 128
        case .aes192: 192
        case .aes256: 256
        }
    }
}
