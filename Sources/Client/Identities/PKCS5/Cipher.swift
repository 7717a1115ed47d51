// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1

/// The ciphers for password-based encryption (RFC 8018 appendix B, RFC 7292 appendix C).
enum Cipher: Hashable {
    case aes(keyLength: Int)
    case tripleDES
    case twoKeyTripleDES
    case des
    case rc2(keyLength: Int, effectiveBits: Int)
    case rc4(keyLength: Int)

    /// The length of a key, in bytes.
    var keyLength: Int {
        switch self {
        case .aes(let keyLength), .rc2(let keyLength, _), .rc4(let keyLength): keyLength
        case .tripleDES: 24
        case .twoKeyTripleDES: 16
        case .des: 8
        }
    }

    /// The length of a block and of an initialization vector, in bytes; 0 for a stream cipher.
    var blockByteCount: Int {
        switch self {
        case .aes: 16
        case .tripleDES, .twoKeyTripleDES, .des, .rc2: 8
        case .rc4: 0
        }
    }

    /// Returns whether a ciphertext has a valid length for this cipher.
    func canDecrypt(_ ciphertext: [UInt8]) -> Bool {
        !ciphertext.isEmpty && (blockByteCount == 0 || ciphertext.count % blockByteCount == 0)
    }

    /// Decrypts and removes the padding.
    ///
    /// - Parameters:
    ///   - ciphertext: The ciphertext, whose length `canDecrypt` accepts.
    ///   - key: The key of `keyLength` bytes.
    ///   - vector: The initialization vector of `blockByteCount` bytes.
    /// - Returns: The plaintext; `nil` if the padding is invalid.
    func decrypt(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        switch self {
        case .aes:
            guard let vector = try? AES._CBC.IV(ivBytes: vector),
                let plaintext = try? AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: key), iv: vector)
            else { return nil }
            return Array(plaintext)
        case .tripleDES, .twoKeyTripleDES:
            return TripleDES(key: key).decryptCBC(ciphertext, vector: vector)
        case .des:
            return DES(key: key).decryptCBC(ciphertext, vector: vector)
        case .rc2(_, let effectiveBits):
            return RC2(key: key, effectiveBits: effectiveBits).decryptCBC(ciphertext, vector: vector)
        case .rc4:
            var cipher = RC4(key: key)
            return cipher.apply(to: ciphertext)
        }
    }

    /// Decrypts data that is one BER element.
    ///
    /// - Returns: The element; `nil` if the plaintext is none, nearly always because the password is wrong.
    func decryptElement(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) throws(IdentityError) -> ASN1Node? {
        guard let plaintext = decrypt(ciphertext, key: key, vector: vector) else { return nil }
        // One wrong password in 256 results in valid padding, and a stream cipher has no padding.
        do throws(IdentityError) {
            return try ASN1Node.parse(ber: plaintext, as: .encryption)
        } catch .malformed {
            return nil
        }
    }
}

extension Cipher {
    /// Returns the cipher and the initialization vector of PBES2's encryptionScheme (RFC 8018 appendix B.2).
    ///
    /// The key length from the key derivation, in bytes, must match the cipher; RC2 accepts any length.
    static func pbes2(
        _ algorithm: Algorithm, keyLength: Int?
    ) throws(IdentityError) -> (cipher: Cipher, vector: [UInt8]) {
        let cipher: Cipher
        switch algorithm.identifier {
        case .aes128CBC: cipher = .aes(keyLength: 16)
        case .aes192CBC: cipher = .aes(keyLength: 24)
        case .aes256CBC: cipher = .aes(keyLength: 32)
        case .desEDE3CBC: cipher = .tripleDES
        case .desCBC: cipher = .des
        case .rc2CBC: return try rc2(algorithm, keyLength: keyLength)
        default: throw algorithm.unsupported
        }
        guard let vector = try algorithm.parameters?.octets(.octetString, .encryption),
            vector.count == cipher.blockByteCount, keyLength ?? cipher.keyLength == cipher.keyLength
        else { throw .malformed(.encryption) }
        return (cipher, vector)
    }

    /// Reads the parameters of RC2 (appendix B.2.3): the version encodes the number of effective key bits, which is 32
    /// if there is no version.
    private static func rc2(
        _ algorithm: Algorithm, keyLength: Int?
    ) throws(IdentityError) -> (cipher: Cipher, vector: [UInt8]) {
        var fields = try algorithm.parameterFields()
        let version = try fields.next(if: .integer)?.integer(.encryption)
        let vector = try fields.octets()
        try fields.end()
        let effectiveBits =
            switch version {
            case nil: 32
            case 160: 40
            case 120: 64
            case 58: 128
            case .some(let bits) where (256...1024).contains(bits): bits
            default: throw .malformed(.encryption)
            }
        let length = keyLength ?? (effectiveBits + 7) / 8
        guard (1...128).contains(length), vector.count == 8 else { throw .malformed(.encryption) }
        return (.rc2(keyLength: length, effectiveBits: effectiveBits), vector)
    }
}
