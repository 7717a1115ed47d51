// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets
internal import SwiftASN1

/// Writes the safes of a PKCS#12 file and its integrity check (RFC 7292 section 4).
struct PKCS12Writer {
    let passphrase: Secret
    let encryption: PKCS12.Encryption

    /// Writes the certificates as one encrypted safe, and the keys as bags that are encrypted each, as OpenSSL does.
    func authenticatedSafe(
        _ certificateBags: [[UInt8]], _ entries: [PKCS12.Entry], random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        var safes: [[UInt8]] = []
        if !certificateBags.isEmpty {
            safes.append(try encryptedSafe(try safeContents(certificateBags), random: &random))
        }
        var keyBags: [[UInt8]] = []
        for entry in entries {
            let key = try EncryptedPrivateKeyInfo.encode(
                entry.identity.privateKey, with: encryption.scheme, passphrase: passphrase, random: &random)
            keyBags.append(try BagWriter.keyBag(key, of: entry))
        }
        if !keyBags.isEmpty { safes.append(try plainSafe(try safeContents(keyBags))) }
        return try safeContents(safes)
    }

    /// Writes the outer SEQUENCE around an AuthenticatedSafe.
    func file(_ authenticatedSafe: [UInt8], salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        let mac = try macData(authenticatedSafe, salt: salt)
        return try DER.sequence(.pkcs12) { file in
            try file.serialize(3)
            try file.contentInfo(.data) { try $0.octets(authenticatedSafe) }
            file.serializeRawBytes(mac)
        }
    }

    private func safeContents(_ elements: [[UInt8]]) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.pkcs12) { sequence in
            for element in elements { sequence.serializeRawBytes(element) }
        }
    }

    private func plainSafe(_ contents: [UInt8]) throws(IdentityError) -> [UInt8] {
        try DER.encode(.pkcs12) { serializer in try serializer.contentInfo(.data) { try $0.octets(contents) } }
    }

    /// RFC 5652 section 8.
    private func encryptedSafe(
        _ contents: [UInt8], random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        let encryptor = try PasswordEncryptor(
            contents, with: encryption.scheme, passphrase: passphrase, random: &random)
        return try DER.encode(.pkcs12) { serializer in
            try serializer.contentInfo(.encryptedData) { content in
                try content.appendConstructedNode(identifier: .sequence) { encryptedData in
                    try encryptedData.serialize(0)
                    try encryptedData.appendConstructedNode(identifier: .sequence) { info in
                        try info.serialize(ASN1ObjectIdentifier.data)
                        info.serializeRawBytes(encryptor.algorithm)
                        let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
                        info.appendPrimitiveNode(identifier: tag) { $0 += encryptor.ciphertext }
                    }
                }
            }
        }
    }

    /// The HMAC with PKCS#12's own key derivation, because few readers have PBMAC1 yet.
    private func macData(_ content: [UInt8], salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        let hash = encryption.integrity
        let derivation = PKCS12KeyDerivation(hash: hash, salt: salt, iterations: encryption.iterations)
        let password = PasswordForms(passphrase).bmpStrings[0]
        let code = hash.code(of: content, key: derivation.key(.integrity, from: password, length: hash.byteCount))
        return try DER.sequence(.messageAuthenticationCode) { macData in
            try macData.appendConstructedNode(identifier: .sequence) { digestInfo in
                try digestInfo.algorithmWithNull(hash.identifier)
                try digestInfo.octets(code)
            }
            try macData.octets(salt)
            try macData.serialize(encryption.iterations)
        }
    }
}
