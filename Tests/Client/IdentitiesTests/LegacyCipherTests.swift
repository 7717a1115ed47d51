// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Identities

@Suite struct LegacyCiphers {
    @Test(
        "DES encrypts and decrypts as published",
        arguments: [
            (0x0123_4567_89ab_cdef, 0x4e6f_7720_6973_2074, 0x3fa4_0e8a_984d_4815),  // FIPS 81 table B1
            (0x1334_5779_9bbc_dff1, 0x0123_4567_89ab_cdef, 0x85e8_1354_0f0a_b405),
            // NIST SP 800-17 tables 1 and 3: a variable plaintext and a variable key, with their parity bits.
            (0x0101_0101_0101_0101, 0x8000_0000_0000_0000, 0x95f8_a5e5_dd31_d900),
            (0x8001_0101_0101_0101, 0x0000_0000_0000_0000, 0x95a8_d728_13da_a94d),
        ] as [(UInt64, UInt64, UInt64)])
    func des(key: UInt64, plaintext: UInt64, ciphertext: UInt64) {
        let cipher = DES(key: bytes(key))
        #expect(cipher.encrypt(plaintext) == ciphertext)
        #expect(cipher.decrypt(ciphertext) == plaintext)
    }

    /// The vector is from NIST SP 800-67 appendix B.1.
    @Test("Triple DES encrypts and decrypts as published") func tripleDES() {
        let keys: [UInt64] = [0x0123_4567_89ab_cdef, 0x2345_6789_abcd_ef01, 0x4567_89ab_cdef_0123]
        let cipher = TripleDES(key: keys.flatMap(bytes))
        let plaintext: [UInt64] = [0x5468_6520_7175_6663, 0x6b20_6272_6f77_6e20, 0x666f_7820_6a75_6d70]
        let ciphertext: [UInt64] = [0xa826_fd8c_e53b_855f, 0xcce2_1c81_1225_6fe6, 0x68d5_c05d_d9b6_b900]
        #expect(plaintext.map(cipher.encrypt) == ciphertext)
        #expect(ciphertext.map(cipher.decrypt) == plaintext)
    }

    @Test("Two-key Triple DES uses the first key as the third") func twoKeys() {
        let keys: [UInt8] = Array(1...16)
        #expect(TripleDES(key: keys).encrypt(7) == TripleDES(key: keys + keys.prefix(8)).encrypt(7))
        #expect(TripleDES(key: keys).decrypt(7) == TripleDES(key: keys + keys.prefix(8)).decrypt(7))
    }

    @Test("CBC decrypts its own output, and wrong padding is detected") func cbc() {
        let cipher = TripleDES(key: Array(1...24))
        let vector: [UInt8] = Array(1...8)
        for count in 0...17 {
            let plaintext = [UInt8](repeating: 9, count: count)
            let ciphertext = cipher.encryptCBC(plaintext, vector: vector)
            #expect(ciphertext.count == count / 8 * 8 + 8)
            #expect(cipher.decryptCBC(ciphertext, vector: vector) == plaintext)
            #expect(cipher.decryptCBC(ciphertext, vector: vector.reversed()) != plaintext)
        }
        let unpadded = cipher.encryptCBC([9, 9, 9, 9, 9, 9, 9, 9], vector: vector).prefix(8)
        #expect(cipher.decryptCBC(Array(unpadded), vector: vector) == nil)
    }

    @Test(
        "RC2 decrypts as published (RFC 2268 section 5)",
        arguments: [
            ([0, 0, 0, 0, 0, 0, 0, 0], 63, 0, 0xebb7_73f9_9327_8eff),
            ([255, 255, 255, 255, 255, 255, 255, 255], 64, .max, 0x278b_27e4_2e2f_0d49),
            ([0x30, 0, 0, 0, 0, 0, 0, 0], 64, 0x1000_0000_0000_0001, 0x3064_9edf_9be7_d2c2),
            ([0x88], 64, 0, 0x61a8_a244_adac_ccf0),
            (Array(long.prefix(7)), 64, 0, 0x6ccf_4308_974c_267f),
            (Array(long.prefix(16)), 64, 0, 0x1a80_7d27_2bbe_5db1),
            (Array(long.prefix(16)), 128, 0, 0x2269_552a_b0f8_5ca6),
            (long, 129, 0, 0x5b78_d3a4_3dff_f1f1),
        ] as [([UInt8], Int, UInt64, UInt64)])
    func rc2(key: [UInt8], effectiveBits: Int, plaintext: UInt64, ciphertext: UInt64) {
        #expect(RC2(key: key, effectiveBits: effectiveBits).decrypt(ciphertext) == plaintext)
    }

    @Test(
        "RC4 produces the published key streams (RFC 6229)",
        arguments: [
            (5, "b2396305f03dc027ccc3524a0a1118a8"), (16, "9ac7cc9a609d1ef7b2932899cde41b97"),
        ])
    func rc4(keyLength: UInt8, stream: String) {
        var cipher = RC4(key: Array(1...keyLength))
        #expect(hex(cipher.apply(to: [UInt8](repeating: 0, count: 16))) == stream)
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }
}

/// A key of 33 bytes, of which other vectors use a prefix.
private let long: [UInt8] = [
    0x88, 0xbc, 0xa9, 0x0e, 0x90, 0x87, 0x5a, 0x7f, 0x0f, 0x79, 0xc3, 0x84, 0x62, 0x7b, 0xaf, 0xb2,
    0x16, 0xf8, 0x0a, 0x6f, 0x85, 0x92, 0x05, 0x84, 0xc4, 0x2f, 0xce, 0xb0, 0xbe, 0x25, 0x5d, 0xaf, 0x1e,
]
