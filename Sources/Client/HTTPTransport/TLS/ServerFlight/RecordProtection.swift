// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation

/// The decryption of a TLS 1.3 server's records during the handshake (RFC 8446 sections 5.2 and 7.3).
struct RecordProtection {
    /// The cipher suites of RFC 8446 section B.4 that BoringSSL supports.
    enum Suite: UInt16 {
        case aes128GCM = 0x1301
        case aes256GCM = 0x1302
        case chaCha20Poly1305 = 0x1303

        var keyLength: Int { self == .aes128GCM ? 16 : 32 }
    }

    private static let tagLength = 16
    private static let nonceLength = 12

    private let suite: Suite
    private let key: SymmetricKey
    private let iv: [UInt8]
    private var sequence: UInt64 = 0

    init(_ suite: Suite, secret: HandshakeSecret) {
        self.suite = suite
        key = suite.expand(secret.key, "key", count: suite.keyLength)
        iv = suite.expand(secret.key, "iv", count: Self.nonceLength).withUnsafeBytes { Array($0) }
    }

    /// Decrypts a record.
    ///
    /// - Returns: The inner content type, and the content without its padding (section 5.4).
    /// - Throws: ``ServerFlightError/unreadable`` if decryption fails.
    mutating func open(_ record: TLSRecord) throws(ServerFlightError) -> (TLSRecord.ContentType, ArraySlice<UInt8>) {
        let inner: Data
        do { inner = try decrypt(record) } catch { throw .unreadable }
        sequence += 1
        guard let end = inner.lastIndex(where: { $0 != 0 }), let type = TLSRecord.ContentType(rawValue: inner[end])
        else { throw .unreadable }
        return (type, Array(inner[..<end])[...])
    }

    private func decrypt(_ record: TLSRecord) throws -> Data {
        guard record.fragment.count > Self.tagLength else { throw ServerFlightError.unreadable }
        let (text, tag) = (record.fragment.dropLast(Self.tagLength), record.fragment.suffix(Self.tagLength))
        switch suite {
        case .aes128GCM, .aes256GCM:
            let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: text, tag: tag)
            return try AES.GCM.open(box, using: key, authenticating: record.header)
        case .chaCha20Poly1305:
            let box = try ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: text, tag: tag)
            return try ChaChaPoly.open(box, using: key, authenticating: record.header)
        }
    }

    /// The nonce: the left-padded sequence number XORed with the initialization vector (section 5.3).
    private var nonce: [UInt8] {
        var nonce = iv
        for index in 0..<8 {
            nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(index)))
        }
        return nonce
    }
}

extension RecordProtection.Suite {
    /// Performs HKDF-Expand-Label without a context (RFC 8446 section 7.1).
    func expand(_ secret: SymmetricKey, _ label: String, count: Int) -> SymmetricKey {
        let label = Array("tls13 \(label)".utf8)
        let info = [0, UInt8(count), UInt8(label.count)] + label + [0]
        return switch self {
        case .aes256GCM: HKDF<SHA384>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
        case .aes128GCM, .chaCha20Poly1305:
            HKDF<SHA256>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
        }
    }
}
