// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets

/// Seals and opens bytes with AES-256-GCM under a random nonce (NIST SP 800-38D): nonce, ciphertext, tag.
///
/// The plaintext is padded, so that its length tells little.
enum Seal {
    static let tagByteCount = 16
    private static let nonceByteCount = 12

    /// - Parameters:
    ///   - plaintext: What is sealed.
    ///   - key: The key.
    ///   - data: What is authenticated besides.
    ///   - block: What the padded length is a multiple of, in bytes.
    ///   - nonce: A random one unless given.
    /// - Returns: Nonce, ciphertext and tag.
    /// - Throws: ``KeychainError/damaged(_:)`` where AES-GCM refuses, which it does for no input known.
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

    /// - Returns: `nil` where the key is another, or a byte was changed.
    static func open(_ sealed: [UInt8], with key: SymmetricKey, for data: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var padded = (try? AES.GCM.open(box, using: key, authenticating: data)).map(Array.init)
        else { return nil }
        defer { padded.erase() }
        var reader = FieldReader(padded)
        return try? reader.field()
    }

    /// Seals bytes that stand beside others, under the nonce of those; the key must be another one.
    ///
    /// - Parameters:
    ///   - plaintext: What is sealed.
    ///   - key: Not the key of the others.
    ///   - data: What is authenticated besides.
    ///   - sealed: The others.
    /// - Returns: Ciphertext and tag.
    /// - Throws: ``KeychainError/damaged(_:)`` where AES-GCM refuses, which it does for no input known.
    static func seal(
        _ plaintext: [UInt8], with key: SymmetricKey, for data: [UInt8], beside sealed: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        Array(try seal(plaintext, with: key, for: data, nonce: nonce(of: sealed)).dropFirst(nonceByteCount))
    }

    /// - Returns: `nil` where the key is another, or a byte was changed, or the others are not those beside which it was sealed.
    static func open(
        _ bytes: [UInt8], with key: SymmetricKey, for data: [UInt8], beside sealed: [UInt8]
    ) -> [UInt8]? {
        open(sealed.prefix(nonceByteCount) + bytes, with: key, for: data)
    }

    private static func nonce(of sealed: [UInt8]) -> AES.GCM.Nonce? {
        try? AES.GCM.Nonce(data: sealed.prefix(nonceByteCount))
    }

    /// The tag, which stands for all that was sealed.
    static func tag(of sealed: [UInt8]) -> ArraySlice<UInt8> { sealed.suffix(tagByteCount) }
}
