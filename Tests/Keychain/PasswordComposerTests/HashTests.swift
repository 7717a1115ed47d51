// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import PasswordComposer

@Suite struct HashTests {
    /// The test vectors of RFC 1321 appendix A.5.
    @Test(
        "MD5 matches the test vectors of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ])
    func md5(message: String, digest: String) {
        #expect(Self.digest(MD5.self, Array(message.utf8)) == digest)
    }

    /// The test vectors of RFC 6234 section 8.5.
    @Test(
        "SHA-256 and SHA-512 match the test vectors of RFC 6234",
        arguments: [
            (
                "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
            ),
        ])
    func sha2(message: String, sha256: String, sha512: String) {
        #expect(Self.digest(PasswordComposer.SHA256.self, Array(message.utf8)) == sha256)
        #expect(Self.digest(PasswordComposer.SHA512.self, Array(message.utf8)) == sha512)
    }

    @Test("Digests of random messages up to three blocks match swift-crypto")
    func randomMessages() {
        for length in 0...400 {
            let message = (0..<length).map { _ in UInt8.random(in: 0...255) }
            #expect(Self.digest(MD5.self, message) == hexadecimal(Array(Insecure.MD5.hash(data: message))))
            #expect(
                Self.digest(PasswordComposer.SHA256.self, message)
                    == hexadecimal(Array(Crypto.SHA256.hash(data: message))))
            #expect(
                Self.digest(PasswordComposer.SHA512.self, message)
                    == hexadecimal(Array(Crypto.SHA512.hash(data: message))))
        }
    }

    /// The test vectors of RFC 4231 sections 4.2 to 4.8.
    @Test(
        "HMAC-SHA256 matches the test vectors of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array(
                    "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                        .utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ])
    func hmac(key: [UInt8], message: [UInt8], code: String) {
        #expect(Self.code(key, message) == code)
    }

    @Test("HMAC-SHA256 of random keys and messages matches swift-crypto") func randomKeys() {
        for _ in 0..<200 {
            let key = (0..<Int.random(in: 0...200)).map { _ in UInt8.random(in: 0...255) }
            let message = (0..<Int.random(in: 0...200)).map { _ in UInt8.random(in: 0...255) }
            let other = HMAC<Crypto.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            #expect(Self.code(key, message) == hexadecimal(Array(other)))
        }
    }

    private static func digest<Function: PasswordComposer.HashFunction>(_ type: Function.Type, _ message: [UInt8])
        -> String
    {
        var hash = Hash<Function>()
        hash.update(message)
        let digest = Scratch<UInt8>(count: Hash<Function>.digestLength)
        hash.finish(digest.words)
        return hexadecimal(bytes(digest))
    }

    private static func code(_ key: [UInt8], _ message: [UInt8]) -> String {
        var hmac = HMACSHA256(key: Scratch(key))
        let code = Scratch<UInt8>(count: HMACSHA256.length)
        // The second call shows that the first one left no state.
        for _ in 0..<2 {
            hmac.update(message)
            hmac.finish(code.words)
        }
        return hexadecimal(bytes(code))
    }
}
