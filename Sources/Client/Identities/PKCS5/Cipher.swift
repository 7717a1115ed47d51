// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras

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
