// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Secrets
import SwiftASN1
import Testing

@testable import Identities

@Suite struct KeyDerivations {
    /// The examples of FIPS 180-4 for SHA-224, and lengths around the block boundary, computed with OpenSSL.
    @Test(
        "SHA-224 matches the published examples",
        arguments: [
            ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
            ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
            ),
            (String(repeating: "a", count: 55), "fb0bd626a70c28541dfa781bb5cc4d7d7f56622a58f01a0b1ddd646f"),
            (String(repeating: "a", count: 64), "a88cd5cde6d6fe9136a4e58b49167461ea95d388ca2bdb7afdc3cbf4"),
            (String(repeating: "a", count: 200), "2559984fd15e055f0d84c346483508242f02653ab7956401e551511c"),
        ])
    func sha224(message: String, digest: String) {
        #expect(hex(SHA224.hash(data: message.bytes)) == digest)
    }

    /// The vector is test case 2 of RFC 4231.
    @Test("HMAC with SHA-224 matches RFC 4231") func hmacSHA224() {
        let code = HMAC<SHA224>.authenticationCode(
            for: "what do ya want for nothing?".bytes, using: SymmetricKey(data: "Jefe".bytes)
        )
        #expect(hex(code) == "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
    }

    /// The vectors for appendix B of RFC 7292 are those of OpenSSL and Bouncy Castle.
    @Test(
        "The PKCS#12 key derivation matches published vectors",
        arguments: [
            ("smeg", "3d83c0e4546ac140", 1, "8d967d88f6caa9d714800ab3d48051d63f73a312"),
            ("queeg", "263216fcc2fab31c", 1000, "5ec4c7a80df652294c3925b6489a7ab857c83476"),
        ])
    func pkcs12IntegrityKey(password: String, salt: String, iterations: Int, key: String) throws {
        let derivation = PKCS12KeyDerivation(hash: .sha1, salt: bytes(salt), iterations: iterations)
        let candidate = try #require(PasswordForms(Secret(password)).bmpStrings.first)
        let derived = derivation.key(.integrity, from: candidate, length: 20)
        #expect(derived.withUnsafeBytes { hex($0) } == key)
    }

    /// The keys of 24 bytes and initialization vectors of 8 bytes from the same vectors.
    @Test(
        "The PKCS#12 key derivation derives encryption keys and initialization vectors",
        arguments: [
            (
                "smeg", "0a58cf64530d823f", 1, "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3",
                "79993dfe048d3b76"
            ),
            (
                "queeg", "05dec959acff72f7", 1000, "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4",
                "11dedad7758d4860"
            ),
        ])
    func pkcs12EncryptionKey(password: String, salt: String, iterations: Int, key: String, vector: String) throws {
        let derivation = PKCS12KeyDerivation(hash: .sha1, salt: bytes(salt), iterations: iterations)
        let form = try #require(PasswordForms(Secret(password)).bmpStrings.first)
        let derived = derivation.key(.encryption, from: form, length: 24)
        #expect(derived.withUnsafeBytes { hex($0) } == key)
        let derivedVector = derivation.key(.initializationVector, from: form, length: 8)
        #expect(derivedVector.withUnsafeBytes { hex($0) } == vector)
    }

    @Test("In PKCS#12, PBES2 is tried with UTF-8 and then with the encoding of old NSS versions") func nssForms() {
        let forms = PasswordForms(Secret("a"), inPKCS12: true).pbes2
        #expect(forms.map { $0.withUnsafeBytes { hex($0) } } == ["61", "00610000"])
        #expect(PasswordForms(Secret("a")).pbes2 == [Secret("a")])
    }

    @Test(
        "A password is tried in each encoding that writers use",
        arguments: [
            (nil, ["", "0000"]), ("", ["0000", ""]), ("aé", ["006100e90000", "006100c300a90000"]),
            ("🔑", ["d83ddd110000", "00f0009f009400910000"]),
        ] as [(String?, [String])])
    func passwordForms(password: String?, forms: [String]) {
        let candidates = PasswordForms(password.map { Secret($0) }).bmpStrings
        #expect(candidates.map { $0.withUnsafeBytes { hex($0) } } == forms)
    }

    @Test("PBKDF2 derives a key from an empty passphrase and an empty salt") func emptyInput() throws {
        let derivation = try pbkdf2(salt: [], iterations: 1)
        var budget = WorkBudget()
        let key = try derivation.key(from: Secret(""), length: 32, budget: &budget)
        // Computed with openssl kdf -keylen 32 -kdfopt digest:SHA1 -kdfopt pass: -kdfopt salt: -kdfopt iter:1 PBKDF2
        #expect(key.withUnsafeBytes { hex($0) } == "1e437a1c79d75be61e91141dae20affc4892cc99abcc3fe753887bccc8920176")
    }

    @Test("An iteration count below one is malformed", arguments: [0, -1, Int.min])
    func iterations(iterations: Int) {
        #expect(throws: IdentityError.malformed(.encryption)) {
            var budget = WorkBudget()
            _ = try pbkdf2(salt: [1], iterations: iterations).key(from: Secret("x"), length: 16, budget: &budget)
        }
    }

    @Test(
        "The memory of scrypt is limited before it runs",
        arguments: [
            (1 << 60, 8, 1, .tooLarge(.memory, limit: 128 << 20)),
            (1 << 17, 9, 1, .tooLarge(.memory, limit: 128 << 20)),
            (2, Int.max, Int.max, .tooLarge(.memory, limit: 128 << 20)),
            (1 << 10, 8, 1 << 20, .tooLarge(.memory, limit: 128 << 20)),
            (1023, 8, 1, .malformed(.encryption)), (1, 8, 1, .malformed(.encryption)),
            (0, 8, 1, .malformed(.encryption)), (Int.min, 8, 1, .malformed(.encryption)),
            (1024, 0, 1, .malformed(.encryption)), (1024, 8, -1, .malformed(.encryption)),
        ] as [(Int, Int, Int, IdentityError)])
    func scryptLimits(cost: Int, blockSize: Int, parallelism: Int, error: IdentityError) {
        #expect(throws: error) {
            var budget = WorkBudget()
            _ = try derivation(.scrypt) { parameters in
                try parameters.serialize(ASN1OctetString(contentBytes: [1]))
                for number in [cost, blockSize, parallelism] { try parameters.serialize(number) }
            }.key(from: Secret("x"), length: 16, budget: &budget)
        }
    }

    private func pbkdf2(salt: [UInt8], iterations: Int) throws -> KeyDerivation {
        try derivation(.pbkdf2) { parameters in
            try parameters.serialize(ASN1OctetString(contentBytes: salt[...]))
            try parameters.serialize(iterations)
        }
    }

    private func derivation(
        _ identifier: ASN1ObjectIdentifier, parameters: (inout DER.Serializer) throws -> Void
    ) throws -> KeyDerivation {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { algorithm in
            try algorithm.serialize(identifier)
            try algorithm.appendConstructedNode(identifier: .sequence, parameters)
        }
        let node = try ASN1Node.parse(ber: serializer.serializedBytes, as: .encryption)
        return try KeyDerivation(Algorithm(node, of: .encryption), of: .encryption)
    }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { index -> UInt8 in
        UInt8(digits[index] << 4 | digits[index + 1])
    }
}
