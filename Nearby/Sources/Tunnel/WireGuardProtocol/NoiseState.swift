// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The symmetric state that both sides of a handshake share (Noise revision 34, section 5.2), for the pattern IKpsk2.
struct NoiseState: Sendable {
    private static let construction = Array("Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s".utf8)
    private static let identifier = Array("WireGuard v1 zx2c4 Jason@zx2c4.com".utf8)
    private static let firstChainingKey = KeyDerivation.hash(construction)
    private static let firstHash = KeyDerivation.hash(firstChainingKey, identifier)

    private var chainingKey = SymmetricKey(data: Self.firstChainingKey)
    private var hash: [UInt8]

    /// Creates the state before the first message.
    init(responder: WireGuardPublicKey) { hash = KeyDerivation.hash(Self.firstHash, responder.bytes) }

    /// Mixes public bytes into the hash, which both sides must know.
    mutating func mixHash(_ bytes: some ContiguousBytes) { hash = KeyDerivation.hash(hash, bytes) }

    /// Mixes a secret into the chaining key.
    mutating func mixKey(_ input: some ContiguousBytes) {
        chainingKey = KeyDerivation.derive(1, from: chainingKey, input)[0]
    }

    /// Mixes a secret into the chaining key, and returns a key for the next field.
    mutating func mixKeyForField(_ input: some ContiguousBytes) -> SymmetricKey {
        let keys = KeyDerivation.derive(2, from: chainingKey, input)
        chainingKey = keys[0]
        return keys[1]
    }

    /// Mixes the preshared key into the state, and returns a key for the next field.
    mutating func mixPresharedKey(_ key: SymmetricKey) -> SymmetricKey {
        let keys = KeyDerivation.derive(3, from: chainingKey, key)
        chainingKey = keys[0]
        mixHash(keys[1])
        return keys[2]
    }

    /// Encrypts a field.
    mutating func seal(_ text: [UInt8], using key: SymmetricKey) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(text, using: key, nonce: Self.zeroNonce(), authenticating: hash)
        let field = Array(box.ciphertext + box.tag)
        mixHash(field)
        return field
    }

    /// Decrypts a field.
    ///
    /// - Throws: `CryptoKitError` if the field was not encrypted in this state.
    mutating func open(_ field: UnsafeRawBufferPointer, using key: SymmetricKey) throws -> [UInt8] {
        let box = try ChaChaPoly.SealedBox(combined: Data(repeating: 0, count: 12) + field)
        let text = try ChaChaPoly.open(box, using: key, authenticating: hash)
        mixHash(Array(field))
        return Array(text)
    }

    /// Returns the two session keys: the initiator's sending key and the responder's.
    func split() -> (initiator: SymmetricKey, responder: SymmetricKey) {
        let keys = KeyDerivation.derive(2, from: chainingKey, [UInt8]())
        return (keys[0], keys[1])
    }

    /// Returns a zero nonce, because each key encrypts only one field.
    private static func zeroNonce() throws -> ChaChaPoly.Nonce {
        try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
    }
}

extension Curve25519.KeyAgreement.PrivateKey {
    /// Creates a random private key.
    init(using random: inout any RandomNumberGenerator & Sendable) throws {
        try self.init(rawRepresentation: SymmetricKey.random(using: &random))
    }

    /// Returns the shared secret with the owner of a public key.
    ///
    /// - Returns: `nil` if the public key has small order, so that the secret would be zero (RFC 7748 section 6.1).
    func agreement(with key: Curve25519.KeyAgreement.PublicKey) throws -> SymmetricKey? {
        // The description of a `SharedSecret` contains its bytes; that of a `SymmetricKey` does not.
        try sharedSecretFromKeyAgreement(with: key).withUnsafeBytes { secret in
            secret.reduce(0, |) == 0 ? nil : SymmetricKey(data: secret)
        }
    }
}

extension SymmetricKey {
    /// Returns a random key of 32 bytes.
    static func random(using random: inout any RandomNumberGenerator & Sendable) -> SymmetricKey {
        var words = SIMD4<UInt64>()
        for index in words.indices { words[index] = random.next() }
        return withUnsafeMutableBytes(of: &words) { words in
            defer { words.erase() }
            return SymmetricKey(data: UnsafeRawBufferPointer(words))
        }
    }
}
