// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets

/// Seals and opens bytes with AES-256-GCM under a random nonce (NIST SP 800-38D): nonce, ciphertext, tag.
///
/// The plaintext is padded to a multiple of 16 bytes, so that its length tells little.
enum Seal {
    static let tagByteCount = 16
    private static let block = 16

    static func seal(_ plaintext: [UInt8], with key: SymmetricKey, for data: [UInt8]) throws(KeychainError) -> [UInt8] {
        var padded = FieldWriter()
        padded.field(plaintext)
        let rest = padded.bytes.count % block
        for _ in 0..<(rest == 0 ? 0 : block - rest) { padded.byte(0) }
        defer { padded.erase() }
        guard let sealed = try? AES.GCM.seal(padded.bytes, using: key, authenticating: data).combined else {
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

    /// The tag, which stands for all that was sealed.
    static func tag(of sealed: [UInt8]) -> ArraySlice<UInt8> { sealed.suffix(tagByteCount) }
}
