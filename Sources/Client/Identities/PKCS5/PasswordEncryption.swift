// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets
internal import SwiftASN1

/// A password-based encryption scheme: PBES2, PBES1 (RFC 8018 section 6) or PKCS#12's own (RFC 7292 appendix C).
struct PasswordEncryption {
    private enum Derivation {
        case pbes2(KeyDerivation, vector: [UInt8])
        case pbes1(PBKDF1)
        case pkcs12(PKCS12KeyDerivation)
    }

    /// The scheme's name, with the cipher and the key derivation where PBES2 combines them.
    let name: String
    let cipher: Cipher
    private let derivation: Derivation

    /// - Throws: ``IdentityError/unsupported(_:)`` with the scheme's or the cipher's name for anything else.
    init(_ algorithm: Algorithm) throws(IdentityError) {
        if algorithm.identifier == .pbes2 {
            var fields = try algorithm.parameterFields()
            let function = try KeyDerivation(fields.algorithm(), of: .encryption)
            let scheme = try fields.algorithm()
            try fields.end()
            let (cipher, vector) = try Cipher.pbes2(scheme, keyLength: function.keyLength)
            self.cipher = cipher
            derivation = .pbes2(function, vector: vector)
            name = "PBES2 with \(scheme.identifier.name) and \(function.name)"
        } else {
            (cipher, derivation) = try Self.legacy(algorithm)
            name = algorithm.identifier.name
        }
    }

    /// The schemes whose identifier names the cipher, with salt and iterations as parameters.
    private static func legacy(_ algorithm: Algorithm) throws(IdentityError) -> (Cipher, Derivation) {
        guard let scheme = LegacyScheme(algorithm.identifier) else { throw algorithm.unsupported }
        var fields = try algorithm.parameterFields()
        let salt = try fields.octets()
        let iterations = try fields.integer()
        try fields.end()
        switch scheme {
        case .pbes1(let cipher, let hash):
            return (cipher, .pbes1(PBKDF1(hash: hash, salt: salt, iterations: iterations)))
        case .pkcs12(let cipher):
            return (cipher, .pkcs12(PKCS12KeyDerivation(hash: .sha1, salt: salt, iterations: iterations)))
        }
    }

    /// The names and the iterations, for a person to look at.
    var protection: PasswordProtection {
        let iterations =
            switch derivation {
            case .pbes2(let function, _): function.iterations
            case .pbes1(let function): function.iterations
            case .pkcs12(let function): function.iterations
            }
        return PasswordProtection(name: name, iterations: iterations)
    }

    /// Decrypts what is one element of BER, with the form of the password that makes it so.
    ///
    /// - Returns: `nil` where no form does: nearly always because the password is wrong.
    func decrypt(
        _ ciphertext: [UInt8], password: PasswordForms, budget: inout WorkBudget
    ) throws(IdentityError) -> ASN1Node? {
        guard cipher.canDecrypt(ciphertext) else { throw .malformed(.encryption) }
        for form in forms(of: password) {
            let (key, vector) = try keyAndVector(from: form, budget: &budget)
            guard let plaintext = cipher.decrypt(ciphertext, key: key, vector: vector) else { continue }
            // One wrong password in 256 leaves a padding that looks right, and a stream cipher has none.
            do throws(IdentityError) {
                return try ASN1Node.parse(ber: plaintext, as: .encryption)
            } catch .malformed {
                continue
            }
        }
        return nil
    }

    private func forms(of password: PasswordForms) -> [Secret] {
        switch derivation {
        case .pbes2: password.pbes2
        case .pbes1: [password.utf8]
        case .pkcs12: password.bmpStrings
        }
    }

    private func keyAndVector(
        from password: Secret, budget: inout WorkBudget
    ) throws(IdentityError) -> (key: [UInt8], vector: [UInt8]) {
        switch derivation {
        case .pbes2(let function, let vector):
            let key = try function.key(from: password, length: cipher.keyLength, budget: &budget)
            return (key.withUnsafeBytes(Array.init), vector)
        case .pbes1(let function):
            try budget.spend(iterations: function.iterations, of: .encryption)
            return function.keyAndVector(from: password)
        case .pkcs12(let function):
            let blocks = function.blocks(cipher.keyLength) + function.blocks(cipher.blockByteCount)
            try budget.spend(iterations: function.iterations, blocks: blocks, of: .encryption)
            let key = function.key(.encryption, from: password, length: cipher.keyLength)
            let vector = function.key(.initializationVector, from: password, length: cipher.blockByteCount)
            return (key.withUnsafeBytes(Array.init), vector.withUnsafeBytes(Array.init))
        }
    }
}
