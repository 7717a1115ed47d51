// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), which encrypts cookies.
enum XChaCha20Poly1305 {
    /// Encrypts a text with a 24-byte nonce, and appends the tag.
    static func seal(
        _ text: [UInt8], key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
    ) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(
            text, using: hChaCha20(key, nonce), nonce: ChaChaPoly.Nonce(data: shortNonce(nonce)), authenticating: data)
        return Array(box.ciphertext + box.tag)
    }

    /// Decrypts a text with an appended tag.
    static func open(
        _ text: [UInt8], key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
    ) throws -> [UInt8] {
        let box = try ChaChaPoly.SealedBox(combined: shortNonce(nonce) + text)
        return try Array(ChaChaPoly.open(box, using: hChaCha20(key, nonce), authenticating: data))
    }

    /// Returns the 12-byte nonce formed from the last 8 bytes of a 24-byte nonce.
    private static func shortNonce(_ nonce: [UInt8]) -> [UInt8] { [0, 0, 0, 0] + nonce.dropFirst(16) }

    /// Returns the subkey of a key and the first 16 bytes of a nonce (section 2.2).
    static func hChaCha20(_ key: SymmetricKey, _ nonce: [UInt8]) -> SymmetricKey {
        precondition(key.bitCount == 256 && nonce.count >= 16)
        var a: SIMD4<UInt32> = [0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574]
        var (b, c) = key.withUnsafeBytes { ($0.row(at: 0), $0.row(at: 16)) }
        var d = nonce.withUnsafeBytes { $0.row(at: 0) }
        for _ in 0..<10 {
            quarterRounds(&a, &b, &c, &d)
            (b, c, d) = (b.rotated(by: 1), c.rotated(by: 2), d.rotated(by: 3))
            quarterRounds(&a, &b, &c, &d)
            (b, c, d) = (b.rotated(by: 3), c.rotated(by: 2), d.rotated(by: 1))
        }
        var rows = (SIMD4(littleEndian: a), SIMD4(littleEndian: d))
        return withUnsafeMutableBytes(of: &rows) { rows in
            defer { rows.erase() }
            return SymmetricKey(data: UnsafeRawBufferPointer(rows))
        }
    }

    /// Applies quarter rounds (RFC 8439 section 2.1) to four columns.
    private static func quarterRounds(
        _ a: inout SIMD4<UInt32>, _ b: inout SIMD4<UInt32>, _ c: inout SIMD4<UInt32>, _ d: inout SIMD4<UInt32>
    ) {
        for (first, second) in [(UInt32(16), UInt32(20)), (24, 25)] {
            a = a &+ b
            d = (d ^ a).turnedRight(first)
            c = c &+ d
            b = (b ^ c).turnedRight(second)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns four little-endian words.
    fileprivate func row(at offset: Int) -> SIMD4<UInt32> {
        SIMD4(littleEndian: loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self))
    }
}
