// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import WireGuardProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct PrimitiveTests {
    private static func blake2s(_ bytes: [UInt8], key: [UInt8] = [], length: Int = 32, piece: Int = .max) -> [UInt8] {
        var hash = key.withUnsafeBytes {
            key.isEmpty ? BLAKE2s(outputLength: length) : BLAKE2s(key: $0, outputLength: length)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(piece)).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(piece)
        }
        var output = [UInt8](repeating: 0, count: length)
        output.withUnsafeMutableBytes { hash.finish(into: $0) }
        return output
    }

    /// Returns the sequence of RFC 7693 appendix E.
    private static func sequence(_ count: Int, seed: UInt32) -> [UInt8] {
        var (a, b) = (0xDEAD_4BAD &* seed, UInt32(1))
        return (0..<count).map { _ in
            (a, b) = (b, a &+ b)
            return UInt8(b >> 24)
        }
    }

    @Test("BLAKE2s passes the self-test of RFC 7693 appendix E") func selfTest() {
        var all: [UInt8] = []
        for length in [16, 20, 28, 32] {
            for count in [0, 3, 64, 65, 255, 1_024] {
                let input = Self.sequence(count, seed: UInt32(count))
                all += Self.blake2s(input, length: length)
                let key = Self.sequence(length, seed: UInt32(length))
                all += Self.blake2s(input, key: key, length: length)
            }
        }
        #expect(
            Self.blake2s(all).hexadecimal == "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe")
    }

    @Test(
        "Keyed BLAKE2s matches the reference values of blake2s-kat.txt, for updates of any size",
        arguments: [
            (0, "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49"),
            (1, "40d15fee7c328830166ac3f918650f807e7e01e177258cdc0a39b11f598066f1"),
            (64, "8975b0577fd35566d750b362b0897a26c399136df07bababbde6203ff2954ed4"),
            (255, "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd"),
        ])
    func keyed(count: Int, hash: String) {
        let input = (0..<count).map { UInt8($0) }
        for piece in [1, 63, 64, 65, 256] {
            #expect(Self.blake2s(input, key: (0..<32).map { UInt8($0) }, piece: piece).hexadecimal == hash)
        }
    }

    @Test("A finished hash contains nothing of its key and input") func cleared() {
        var hash = [UInt8](repeating: 7, count: 32).withUnsafeBytes { BLAKE2s(key: $0, outputLength: 16) }
        hash.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(withUnsafeBytes(of: &hash) { $0.contains(7) })
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { hash.finish(into: $0) }
        #expect(withUnsafeBytes(of: &hash) { $0.allSatisfy { $0 == 0 } })
    }

    @Test(
        "HMAC and key derivation match Python's hmac and hashlib",
        arguments: [
            (1, ["87b7f70b24183c6db5dc4f6d9f4c47cdb203321aa2a0bef714896adb3107a040"]),
            (
                3,
                [
                    "87b7f70b24183c6db5dc4f6d9f4c47cdb203321aa2a0bef714896adb3107a040",
                    "538a02e1eb2e31b7e4d4b82476d1fe2acf50085d3fb584537279195f5d1f5824",
                    "9ad858025593be88de0f9442a589cfe84a88dc19e4753d93684d1c5efc4837f9",
                ]
            ),
        ])
    func derivation(count: Int, keys: [String]) {
        let derived = KeyDerivation.derive(
            count, from: SymmetricKey(data: (0..<32).map { UInt8($0) }), Array("input".utf8))
        #expect(derived.map { $0.withUnsafeBytes { Array($0) }.hexadecimal } == keys)
        let hmac = [UInt8](repeating: 0, count: 200).withUnsafeBytes {
            KeyDerivation.hmac((0..<64).map { UInt8($0) }, $0)
        }
        #expect(
            hmac.withUnsafeBytes { Array($0) }.hexadecimal
                == "c8d66dad2936218735aa101d3b760216b3131150dc5639e1615885a1f416024f")
    }

    @Test("HChaCha20 matches draft-irtf-cfrg-xchacha-03 section 2.2.1") func hChaCha20() throws {
        let nonce = try #require([UInt8](hexadecimal: "000000090000004a0000000031415927"))
        let key = XChaCha20Poly1305.hChaCha20(SymmetricKey(data: (0..<32).map { UInt8($0) }), nonce)
        #expect(
            key.withUnsafeBytes { Array($0) }.hexadecimal
                == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
    }

    @Test("XChaCha20-Poly1305 matches draft-irtf-cfrg-xchacha-03 section A.3.1") func xChaCha20() throws {
        let text = Array(
            """
            Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
            """.utf8)
        let data = try #require([UInt8](hexadecimal: "50515253c0c1c2c3c4c5c6c7"))
        let (key, nonce) = (SymmetricKey(data: (0x80..<0xA0).map { UInt8($0) }), (0x40..<0x58).map { UInt8($0) })
        var sealed = try XChaCha20Poly1305.seal(text, key: key, nonce: nonce, authenticating: data)
        #expect(
            sealed.hexadecimal == """
                bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54\
                c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f6\
                15c68b13b52ec0875924c1c7987947deafd8780acf49
                """)
        #expect(try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) == text)
        sealed[3] ^= 1
        #expect(throws: (any Error).self) {
            try XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data)
        }
    }

    @Test(
        "Sealing in place has the same result as swift-crypto's ChaChaPoly",
        arguments: [0, 1, 15, 16, 63, 64, 65, 1_420, 9_000])
    func inPlace(count: Int) throws {
        let symmetric = SymmetricKey(data: (0..<32).map { UInt8($0) })
        let key = try #require(TransportKey(symmetric))
        let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for counter in [0, 1, UInt64.max - 7] {
            var buffer = text + [UInt8](repeating: 0, count: 16)
            #expect(buffer.withUnsafeMutableBytes { key.seal($0, count: count, counter: counter) })
            let nonce = try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + counter.littleEndianBytes)
            let box = try ChaChaPoly.seal(text, using: symmetric, nonce: nonce)
            #expect(buffer == Array(box.ciphertext + box.tag))
            var damaged = buffer
            damaged[count] ^= 0x80
            #expect(damaged.withUnsafeMutableBytes { !key.open($0, counter: counter) })
            #expect(buffer.withUnsafeMutableBytes { key.open($0, counter: counter) })
            #expect(Array(buffer.prefix(count)) == text)
        }
    }

    @Test("A TAI64N timestamp is ordered, and its low 24 bits are cleared") func timestamp() throws {
        // 2026-11-25 12:00:00.5 UTC.
        let time = TAI64N(unixTime: .seconds(1_795_608_000) + .milliseconds(500))
        #expect(time.bytes.hexadecimal == "400000006b06cdca" + "1d000000")
        #expect(TAI64N(time.bytes) == time && TAI64N([]) == nil)
        #expect(time < TAI64N(unixTime: .seconds(1_795_608_000) + .milliseconds(520)))
        #expect(time < TAI64N(unixTime: .seconds(1_795_608_001)))
        #expect(TAI64N(unixTime: .milliseconds(-1)) == TAI64N(unixTime: .zero))
    }

    @Test("A public key of small order, the device's own key and a known key are rejected") func weakKeys()
        throws
    {
        let now = Instant.now
        var device = WireGuardDevice(privateKey: .init(), now: now, unixTime: .zero)
        let zero = try #require(WireGuardPublicKey([UInt8](repeating: 0, count: 32)))
        let one = try #require(WireGuardPublicKey([1] + [UInt8](repeating: 0, count: 31)))
        for (key, error) in [(zero, WireGuardPeerError.weakKey), (one, .weakKey), (device.publicKey, .ownKey)] {
            #expect(throws: error) { try device.addPeer(WireGuardPeer(publicKey: key), now: now) }
        }
        let other = WireGuardPublicKey(Curve25519.KeyAgreement.PrivateKey().publicKey)
        try device.addPeer(WireGuardPeer(publicKey: other), now: now)
        #expect(throws: WireGuardPeerError.duplicateKey) {
            try device.addPeer(WireGuardPeer(publicKey: other), now: now)
        }
        #expect(WireGuardPublicKey(base64: other.description) == other && WireGuardPublicKey(base64: "AAAA") == nil)
    }
}
