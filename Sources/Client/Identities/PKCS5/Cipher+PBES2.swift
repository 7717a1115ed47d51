// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

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
