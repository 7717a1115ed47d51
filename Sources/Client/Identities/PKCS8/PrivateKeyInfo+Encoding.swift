// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
internal import SwiftASN1
internal import X509

extension PrivateKeyInfo {
    /// The key as PKCS#8 in DER (RFC 5958 section 2), which every reader takes.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it.
    static func encode(_ key: Certificate.PrivateKey) throws(IdentityError) -> [UInt8] {
        guard let document = try? key.serializeAsPEM() else { throw .keyNotExportable }
        switch document.discriminator {
        case "PRIVATE KEY": return document.derBytes
        case "EC PRIVATE KEY": return try encode(try ECPrivateKey.read(document.derBytes))
        case "RSA PRIVATE KEY": break
        default: throw .keyNotExportable
        }
        return try DER.sequence(.privateKey) { info in
            try info.serialize(0)
            try info.algorithmWithNull(.AlgorithmIdentifier.rsaEncryption)
            try info.octets(document.derBytes)
        }
    }
}

extension EncryptedPrivateKeyInfo {
    /// The key as encrypted PKCS#8 in DER (RFC 5958 section 3).
    static func encode(
        _ key: Certificate.PrivateKey, with scheme: PasswordEncryptor.Scheme, passphrase: Secret,
        random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        let plaintext = try PrivateKeyInfo.encode(key)
        let encryptor = try PasswordEncryptor(plaintext, with: scheme, passphrase: passphrase, random: &random)
        return try DER.sequence(.privateKey) { info in
            info.serializeRawBytes(encryptor.algorithm)
            try info.octets(encryptor.ciphertext)
        }
    }
}
