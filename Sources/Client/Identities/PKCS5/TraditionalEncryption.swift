// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
internal import Secrets
internal import SwiftASN1

/// The traditional encryption of a private key in PEM, with the headers of RFC 1421 section 4.6.
///
/// OpenSSL's EVP_BytesToKey, with MD5 and one iteration, derives the key from the passphrase and from the first eight
/// bytes of the initialization vector.
struct TraditionalEncryption {
    private let name: String
    private let cipher: Cipher
    private let vector: [UInt8]

    /// Reads the value of the header DEK-Info, such as `AES-128-CBC,12F1403515AC56A38A8C1D2D71FB6578`.
    ///
    /// - Throws: ``IdentityError/unsupported(_:)`` with the name of an unsupported cipher.
    init(_ encryptionInfo: String) throws(IdentityError) {
        let parts = encryptionInfo.split(separator: ",", omittingEmptySubsequences: false)
        name = parts.first.map(String.init) ?? ""
        cipher =
            switch name {
            case "AES-128-CBC": .aes(keyLength: 16)
            case "AES-192-CBC": .aes(keyLength: 24)
            case "AES-256-CBC": .aes(keyLength: 32)
            case "DES-EDE3-CBC": .tripleDES
            case "DES-CBC": .des
            default: throw .unsupported(name.isEmpty ? "DEK-Info without a cipher" : name)
            }
        guard parts.count == 2, let vector = Hexadecimal.decode(parts[1]), vector.count == cipher.blockByteCount else {
            throw .malformed(.encryption)
        }
        self.vector = vector
    }

    /// The names of the algorithms, for display.
    var protection: PasswordProtection {
        PasswordProtection(name: "traditional PEM encryption with \(name) and MD5", iterations: 1)
    }

    /// Decrypts a key.
    ///
    /// - Returns: The key in DER; `nil` if the passphrase is wrong or the file is corrupted.
    func decrypt(_ ciphertext: [UInt8], passphrase: Secret) throws(IdentityError) -> [UInt8]? {
        guard cipher.canDecrypt(ciphertext) else { throw .malformed(.encryption) }
        let element = try cipher.decryptElement(ciphertext, key: key(from: passphrase), vector: vector)
        return element.map { Array($0.encodedBytes) }
    }

    private func key(from passphrase: Secret) -> [UInt8] {
        var (key, digest): ([UInt8], [UInt8]) = ([], [])
        while key.count < cipher.keyLength {
            var function = Insecure.MD5()
            function.update(data: digest)
            passphrase.withUnsafeBytes { function.update(bufferPointer: $0) }
            function.update(data: vector.prefix(8))
            digest = Array(function.finalize())
            key += digest
        }
        return Array(key.prefix(cipher.keyLength))
    }
}
