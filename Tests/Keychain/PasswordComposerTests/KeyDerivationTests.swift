// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Testing
@testable import PasswordComposer
import EssentialFoundation

@Suite struct KeyDerivationTests {
    /// The test vectors of RFC 7914 section 11.
    @Test(
        "PBKDF2 matches the test vectors of RFC 7914",
        arguments: [
            (
                "passwd", "salt", 1,
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
            ),
            (
                "Password", "NaCl", 80000,
                "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
            ),
        ])
    func pbkdf2(password: String, salt: String, iterations: Int, expected: String) {
        let key = Scratch<UInt8>(count: 64)
        PBKDF2.derive(key, password: secret(password), salt: Scratch(Array(salt.utf8)), iterations: iterations)
        #expect(hexadecimal(bytes(key)).hasPrefix(expected))
    }

    /// The test vectors of RFC 7914 section 12, except for the one that needs 1 GiB.
    @Test(
        "scrypt matches the test vectors of RFC 7914",
        arguments: [
            (
                "", "", 16, 1, 1,
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", 1024, 8, 16,
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", 16384, 8, 1,
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ])
    func scrypt(password: String, salt: String, cost: Int, blockSize: Int, parallelization: Int, expected: String) {
        let key = Scratch<UInt8>(count: 64)
        Scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
            .derive(key, password: secret(password), salt: Scratch(Array(salt.utf8)))
        #expect(hexadecimal(bytes(key)) == expected)
    }

    @Test("Keys from random inputs match swift-crypto") func randomInputs() throws {
        for _ in 0..<20 {
            let password = (0..<Int.random(in: 1...80)).map { _ in UInt8.random(in: 0...255) }
            let salt = (0..<Int.random(in: 8...80)).map { _ in UInt8.random(in: 0...255) }
            let length = Int.random(in: 1...100)
            let iterations = Int.random(in: 1...50)
            let key = Scratch<UInt8>(count: length)
            let master = secret(password)
            PBKDF2.derive(key, password: master, salt: Scratch(salt), iterations: iterations)
            #expect(
                bytes(key)
                    == Self.content(
                        of: try KDF.Insecure.PBKDF2.deriveKey(
                            from: Data(password), salt: Data(salt), using: .sha256, outputByteCount: length,
                            unsafeUncheckedRounds: iterations)))

            let (cost, blockSize, parallelization) = (
                1 << Int.random(in: 1...7), Int.random(in: 1...9), Int.random(in: 1...3)
            )
            Scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
                .derive(key, password: master, salt: Scratch(salt))
            #expect(
                bytes(key)
                    == Self.content(
                        of: try KDF.Scrypt.deriveKey(
                            from: Data(password), salt: Data(salt), outputByteCount: length, rounds: cost,
                            blockSize: blockSize, parallelism: parallelization)))
        }
    }

    private static func content(of key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }
}
