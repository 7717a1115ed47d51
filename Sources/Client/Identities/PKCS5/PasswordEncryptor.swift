// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import SwiftASN1

/// Encrypts with a password, using a scheme that all readers support.
struct PasswordEncryptor {
    enum Scheme: Hashable {
        /// PBES2 with AES-256-CBC and PBKDF2 with HMAC-SHA-256 (RFC 8018 section 6.2).
        case aes256(iterations: Int)
        /// The PKCS#12 key derivation with SHA-1, and 3DES (RFC 7292 appendix C), for software from before 2010.
        case tripleDES(iterations: Int)

        /// The number of times that the iterations are performed, for the key and for the initialization vector.
        var blocks: Int {
            switch self {
            case .aes256: 1
            case .tripleDES: 3
            }
        }
    }

    /// The AlgorithmIdentifier, in DER.
    let algorithm: [UInt8]
    let ciphertext: [UInt8]

    init(
        _ plaintext: [UInt8], with scheme: Scheme, passphrase: Secret, random: inout some RandomNumberGenerator
    ) throws(IdentityError) {
        self =
            switch scheme {
            case .aes256(let iterations):
                try Self.aes256(
                    plaintext, passphrase, salt: random.bytes(16), vector: random.bytes(16), iterations: iterations)
            case .tripleDES(let iterations):
                try Self.tripleDES(plaintext, passphrase, salt: random.bytes(8), iterations: iterations)
            }
    }

    private init(algorithm: [UInt8], ciphertext: [UInt8]) {
        self.algorithm = algorithm
        self.ciphertext = ciphertext
    }

    private static func aes256(
        _ plaintext: [UInt8], _ passphrase: Secret, salt: [UInt8], vector: [UInt8], iterations: Int
    ) throws(IdentityError) -> Self {
        let derivation = KeyDerivation(pbkdf2: .sha256, salt: salt, iterations: iterations)
        var budget = WorkBudget()
        let key = try derivation.key(from: passphrase, length: 32, budget: &budget)
        guard let block = try? AES._CBC.IV(ivBytes: vector),
            let ciphertext = try? AES._CBC.encrypt(plaintext, using: key, iv: block)
        else { throw .malformed(.encryption) }
        let algorithm = try pbes2(salt: salt, iterations: iterations, vector: vector)
        return Self(algorithm: algorithm, ciphertext: Array(ciphertext))
    }

    private static func tripleDES(
        _ plaintext: [UInt8], _ passphrase: Secret, salt: [UInt8], iterations: Int
    ) throws(IdentityError) -> Self {
        let derivation = PKCS12KeyDerivation(hash: .sha1, salt: salt, iterations: iterations)
        let password = PasswordForms(passphrase).bmpStrings[0]
        let key = derivation.key(.encryption, from: password, length: 24).withUnsafeBytes(Array.init)
        let vector = derivation.key(.initializationVector, from: password, length: 8).withUnsafeBytes(Array.init)
        let ciphertext = TripleDES(key: key).encryptCBC(plaintext, vector: vector)
        return Self(algorithm: try tripleDES(salt: salt, iterations: iterations), ciphertext: ciphertext)
    }

    /// Returns the parameters of appendix A.4, with an explicit NULL after the PRF, because many readers require it.
    private static func pbes2(salt: [UInt8], iterations: Int, vector: [UInt8]) throws(IdentityError) -> [UInt8] {
        try DER.encode(.encryption) { serializer in
            try serializer.algorithm(.pbes2) { algorithm in
                try algorithm.appendConstructedNode(identifier: .sequence) { parameters in
                    try parameters.algorithm(.pbkdf2) { derivation in
                        try derivation.appendConstructedNode(identifier: .sequence) { values in
                            try values.octets(salt)
                            try values.serialize(iterations)
                            try values.algorithmWithNull(.hmacWithSHA256)
                        }
                    }
                    try parameters.algorithm(.aes256CBC) { try $0.octets(vector) }
                }
            }
        }
    }

    private static func tripleDES(salt: [UInt8], iterations: Int) throws(IdentityError) -> [UInt8] {
        try DER.encode(.encryption) { serializer in
            try serializer.algorithm(.pbeWithSHAAnd3KeyTripleDES) { algorithm in
                try algorithm.appendConstructedNode(identifier: .sequence) { values in
                    try values.octets(salt)
                    try values.serialize(iterations)
                }
            }
        }
    }
}

extension RandomNumberGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
