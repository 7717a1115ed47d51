// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation

/// The algorithm that encrypts content (XML Encryption 1.1 section 5.2).
///
/// The raw value is the algorithm's URI.
@nonexhaustive
public enum ContentAlgorithm: String, CaseIterable, Sendable {
    /// AES-GCM with a key of 128 bits, which detects changes.
    case aes128GCM = "http://www.w3.org/2009/xmlenc11#aes128-gcm"
    /// AES-GCM with a key of 192 bits, which detects changes.
    case aes192GCM = "http://www.w3.org/2009/xmlenc11#aes192-gcm"
    /// AES-GCM with a key of 256 bits, which detects changes.
    case aes256GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
    /// AES-CBC with a key of 128 bits, which does not detect changes: only for reading messages of old systems.
    case aes128CBC = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    /// AES-CBC with a key of 192 bits, which does not detect changes: only for reading messages of old systems.
    case aes192CBC = "http://www.w3.org/2001/04/xmlenc#aes192-cbc"
    /// AES-CBC with a key of 256 bits, which does not detect changes: only for reading messages of old systems.
    case aes256CBC = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"

    /// Whether the algorithm does not detect changes to the content.
    public var isLegacy: Bool {
        switch self {
        case .aes128GCM, .aes192GCM, .aes256GCM: false
        case .aes128CBC, .aes192CBC, .aes256CBC: true
        }
    }

    /// The length of the key in bits.
    package var keyBits: Int {
        switch self {
        case .aes128GCM, .aes128CBC: 128
        case .aes192GCM, .aes192CBC: 192
        case .aes256GCM, .aes256CBC: 256
        }
    }

    /// Encrypts bytes; the result begins with the nonce and ends with the authentication tag.
    func encrypt(_ bytes: [UInt8], with key: SymmetricKey) throws(XMLEncryptionError) -> [UInt8] {
        guard !isLegacy else { throw .algorithmNotAllowed(rawValue) }
        guard key.bitCount == keyBits, let box = try? AES.GCM.seal(bytes, using: key), let combined = box.combined
        else {
            throw .unusableKey
        }
        return Array(combined)
    }

    /// Decrypts bytes; returns `nil` for every kind of failure, so that a failure reveals nothing about the content.
    func decrypt(_ bytes: [UInt8], with key: SymmetricKey) -> [UInt8]? {
        guard key.bitCount == keyBits else { return nil }
        guard isLegacy else {
            guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
            return (try? AES.GCM.open(box, using: key)).map { Array($0) }
        }
        guard bytes.count >= 32, bytes.count.isMultiple(of: 16),
            let vector = try? AES._CBC.IV(ivBytes: bytes.prefix(16)),
            let padded = try? AES._CBC.decrypt(bytes.dropFirst(16), using: key, iv: vector, noPadding: true),
            // Only the last byte of the padding has a defined value (section 5.2.1).
            let count = padded.last, (1...16).contains(count)
        else { return nil }
        return Array(padded.dropLast(Int(count)))
    }
}
