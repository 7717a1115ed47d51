// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import SwiftASN1

/// A password-based encryption scheme: PBES2 with AES in CBC mode (RFC 8018 section 6.2).
struct PasswordEncryption {
    private let derivation: KeyDerivation
    private let keyLength: Int
    private let initializationVector: [UInt8]

    /// - Throws: ``IdentityError/unsupported(_:)`` with the scheme's or the cipher's name for anything else.
    init(_ algorithm: Algorithm) throws(IdentityError) {
        guard algorithm.identifier == .pbes2 else { throw algorithm.unsupported }
        var fields = try algorithm.parameterFields()
        derivation = try KeyDerivation(fields.algorithm(), of: .encryption)
        let cipher = try fields.algorithm()
        try fields.end()
        keyLength =
            switch cipher.identifier {
            case .aes128CBC: 16
            case .aes192CBC: 24
            case .aes256CBC: 32
            default: throw cipher.unsupported
            }
        guard let vector = try cipher.parameters?.octets(.octetString, .encryption), vector.count == 16,
            derivation.keyLength ?? keyLength == keyLength
        else { throw .malformed(.encryption) }
        initializationVector = vector
    }

    /// Decrypts, and checks the padding.
    ///
    /// - Returns: `nil` where the padding is wrong: nearly always because the passphrase is.
    func decrypt(
        _ ciphertext: [UInt8], passphrase: Secret, budget: inout WorkBudget
    ) throws(IdentityError) -> [UInt8]? {
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else { throw .malformed(.encryption) }
        let key = try derivation.key(from: passphrase, length: keyLength, budget: &budget)
        guard let vector = try? AES._CBC.IV(ivBytes: initializationVector),
            let plaintext = try? AES._CBC.decrypt(ciphertext, using: key, iv: vector)
        else { return nil }
        return Array(plaintext)
    }
}
