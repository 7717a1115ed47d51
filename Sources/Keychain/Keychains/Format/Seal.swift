// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets

/// Seals and opens bytes with AES-256-GCM under a random nonce (NIST SP 800-38D): nonce, ciphertext, tag.
///
/// The plaintext is padded, so that its length reveals little.
enum Seal {
    static let tagByteCount = 16
    private static let nonceByteCount = 12

    /// - Parameters:
    ///   - plaintext: The bytes to seal.
    ///   - key: The key.
    ///   - data: The associated data, which is authenticated but not encrypted.
    ///   - block: The padded length is a multiple of this number of bytes.
    ///   - nonce: The nonce; random by default.
    /// - Returns: The nonce, ciphertext and tag.
    /// - Throws: ``KeychainError/damaged(_:)`` if AES-GCM fails, which no known input causes.
    static func seal(
        _ plaintext: [UInt8], with key: SymmetricKey, for data: [UInt8], block: Int = 16, nonce: AES.GCM.Nonce? = nil
    ) throws(KeychainError) -> [UInt8] {
        var padded = FieldWriter()
        padded.field(plaintext)
        let rest = padded.bytes.count % block
        for _ in 0..<(rest == 0 ? 0 : block - rest) { padded.byte(0) }
        defer { padded.erase() }
        let sealed = try? AES.GCM.seal(padded.bytes, using: key, nonce: nonce, authenticating: data).combined
        guard let sealed else {
            throw .damaged(.record)
        }
        return Array(sealed)
    }

    /// - Returns: The plaintext; `nil` if the key is wrong or a byte was changed.
    static func open(_ sealed: [UInt8], with key: SymmetricKey, for data: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var padded = (try? AES.GCM.open(box, using: key, authenticating: data)).map(Array.init)
        else { return nil }
        defer { padded.erase() }
        var reader = FieldReader(padded)
        return try? reader.field()
    }

    /// Seals bytes under the nonce of other sealed bytes; the two keys must differ.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to seal.
    ///   - key: The key, which must not be that of the other bytes.
    ///   - data: The associated data, which is authenticated but not encrypted.
    ///   - sealed: The other sealed bytes, which supply the nonce.
    /// - Returns: The ciphertext and tag.
    /// - Throws: ``KeychainError/damaged(_:)`` if AES-GCM fails, which no known input causes.
    static func seal(
        _ plaintext: [UInt8], with key: SymmetricKey, for data: [UInt8], beside sealed: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        Array(try seal(plaintext, with: key, for: data, nonce: nonce(of: sealed)).dropFirst(nonceByteCount))
    }

    /// - Returns: The plaintext; `nil` if the key is wrong, a byte was changed, or the nonce of the other bytes
    ///   differs.
    static func open(
        _ bytes: [UInt8], with key: SymmetricKey, for data: [UInt8], beside sealed: [UInt8]
    ) -> [UInt8]? {
        open(sealed.prefix(nonceByteCount) + bytes, with: key, for: data)
    }

    private static func nonce(of sealed: [UInt8]) -> AES.GCM.Nonce? {
        try? AES.GCM.Nonce(data: sealed.prefix(nonceByteCount))
    }

    /// Returns the tag, which authenticates all sealed bytes.
    static func tag(of sealed: [UInt8]) -> ArraySlice<UInt8> { sealed.suffix(tagByteCount) }
}
