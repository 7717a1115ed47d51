// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation

/// The secrets of a server with SHA-256 (RFC 8446 section 7.1, RFC 5246 section 6.3, RFC 7627).
struct KeySchedule {
    /// Whether the master secret of TLS 1.2 depends on the transcript.
    var usesExtendedSecret = false
    /// The secret of the server's current keys.
    private(set) var trafficSecret = [UInt8](repeating: 0, count: 32)
    /// The master secret; during a handshake of TLS 1.3, the handshake secret.
    private var secret = [UInt8](repeating: 0, count: 48)

    // MARK: TLS 1.3

    mutating func startHandshake(_ sharedSecret: [UInt8], _ transcript: [UInt8]) {
        let zeros = [UInt8](repeating: 0, count: 32)
        secret = Self.hash(Self.derived(Self.hash(zeros, zeros)), sharedSecret)
        trafficSecret = Self.expand(secret, "s hs traffic", Self.hash(transcript))
    }

    mutating func startApplication(_ transcript: [UInt8]) {
        secret = Self.hash(Self.derived(secret), [UInt8](repeating: 0, count: 32))
        trafficSecret = Self.expand(secret, "s ap traffic", Self.hash(transcript))
    }

    mutating func update() { trafficSecret = Self.expand(trafficSecret, "traffic upd", []) }

    func finished13(_ transcript: [UInt8]) -> [UInt8] {
        Self.hash(Self.expand(trafficSecret, "finished", []), Self.hash(transcript))
    }

    private static func derived(_ secret: [UInt8]) -> [UInt8] { expand(secret, "derived", hash([])) }

    /// Computes one block of HKDF-Expand-Label, which is sufficient here.
    static func expand(_ secret: [UInt8], _ label: String, _ context: [UInt8], count: Int = 32) -> [UInt8] {
        let name = ServerScript.vector(Array("tls13 \(label)".utf8), octets: 1)
        let info = ServerScript.integer(count, octets: 2) + name + ServerScript.vector(context, octets: 1)
        return Array(hash(secret, info + [1]).prefix(count))
    }

    // MARK: TLS 1.2

    mutating func start12(
        _ sharedSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8], _ transcript: [UInt8]
    ) -> (reader: RecordCipher, writer: RecordCipher) {
        secret =
            usesExtendedSecret
            ? Self.derive(sharedSecret, "extended master secret", Self.hash(transcript), count: 48)
            : Self.derive(sharedSecret, "master secret", clientRandom + serverRandom, count: 48)
        let keys = Self.derive(secret, "key expansion", serverRandom + clientRandom, count: 40)
        return (
            RecordCipher(key: keys[0..<16], salt: keys[32..<36]), RecordCipher(key: keys[16..<32], salt: keys[36..<40])
        )
    }

    func finished12(_ transcript: [UInt8]) -> [UInt8] {
        Self.derive(secret, "server finished", Self.hash(transcript), count: 12)
    }

    /// The pseudorandom function of TLS 1.2 (RFC 5246 section 5).
    private static func derive(_ secret: [UInt8], _ label: String, _ seed: [UInt8], count: Int) -> [UInt8] {
        let seed = Array(label.utf8) + seed
        var (block, result) = (seed, [UInt8]())
        while result.count < count {
            block = hash(secret, block)
            result += hash(secret, block + seed)
        }
        return Array(result.prefix(count))
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Computes HMAC, which is also HKDF-Extract.
    private static func hash(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }
}

/// The protection of records in one direction with AES-128-GCM.
struct RecordCipher {
    private let key: SymmetricKey
    /// The initialization vector of TLS 1.3, or the salt of TLS 1.2 (RFC 5288 section 3).
    private let vector: [UInt8]
    private var sequence = 0

    init(trafficSecret: [UInt8]) {
        key = SymmetricKey(data: KeySchedule.expand(trafficSecret, "key", [], count: 16))
        vector = KeySchedule.expand(trafficSecret, "iv", [], count: 12)
    }

    init(key: ArraySlice<UInt8>, salt: ArraySlice<UInt8>) {
        (self.key, vector) = (SymmetricKey(data: key), Array(salt))
    }

    private var isTLS13: Bool { vector.count == 12 }

    mutating func seal(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        let number = ServerScript.integer(sequence, octets: 8)
        let plaintext = isTLS13 ? content + [type] : content
        let header = [23, 3, 3] + ServerScript.integer(plaintext.count + 16, octets: 2)
        sequence += 1
        guard let nonce = try? nonce(number),
            let box = try? AES.GCM.seal(
                plaintext, using: key, nonce: nonce,
                authenticating: isTLS13 ? header : number + ServerScript.record(type, content).prefix(5))
        else { return [] }
        let sealed = box.ciphertext + box.tag
        return isTLS13 ? header + sealed : ServerScript.record(type, number + sealed)
    }

    /// Decrypts a record of TLS 1.2.
    mutating func open(_ record: [UInt8]) -> [UInt8]? {
        guard record.count >= 29 else { return nil }
        let length = ServerScript.integer(record.count - 29, octets: 2)
        let additional = ServerScript.integer(sequence, octets: 8) + record.prefix(3) + length
        sequence += 1
        guard let nonce = try? nonce(Array(record[5..<13])),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: record[13..<record.count - 16], tag: record.suffix(16)),
            let content = try? AES.GCM.open(box, using: key, authenticating: additional)
        else { return nil }
        return Array(content)
    }

    private func nonce(_ number: [UInt8]) throws -> AES.GCM.Nonce {
        guard isTLS13 else { return try AES.GCM.Nonce(data: vector + number) }
        var nonce = vector
        for (index, byte) in number.enumerated() { nonce[4 + index] ^= byte }
        return try AES.GCM.Nonce(data: nonce)
    }
}
