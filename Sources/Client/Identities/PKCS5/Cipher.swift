// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1

/// The ciphers of password-based encryption (RFC 8018 appendix B, RFC 7292 appendix C).
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

    /// The length of a block and of an initialization vector, in bytes; none for a stream cipher.
    var blockByteCount: Int {
        switch self {
        case .aes: 16
        case .tripleDES, .twoKeyTripleDES, .des, .rc2: 8
        case .rc4: 0
        }
    }

    /// Whether a ciphertext has a length that this cipher gives.
    func canDecrypt(_ ciphertext: [UInt8]) -> Bool {
        !ciphertext.isEmpty && (blockByteCount == 0 || ciphertext.count % blockByteCount == 0)
    }

    /// Decrypts, and takes the padding off.
    ///
    /// - Parameters:
    ///   - ciphertext: Of a length that `canDecrypt` accepts.
    ///   - key: As long as `keyLength`.
    ///   - vector: As long as `blockByteCount`.
    /// - Returns: `nil` where the padding is wrong.
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
}

extension Cipher {
    /// The cipher and the initialization vector of PBES2's encryptionScheme (RFC 8018 appendix B.2).
    ///
    /// The key length is what the key derivation says, in bytes: it must agree with the cipher, and RC2 takes any.
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

    /// RC2 (appendix B.2.3): the version is a code for the effective bits, and 32 of them where there is none.
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
