// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The hash, MAC and key derivation functions of the Noise protocol with BLAKE2s (Noise revision 34, sections 4.3 and
/// 5.1).
enum KeyDerivation {
    /// Returns the hash of the concatenated parts.
    static func hash(_ parts: any ContiguousBytes...) -> [UInt8] {
        var hash = BLAKE2s()
        for part in parts { part.withUnsafeBytes { hash.update($0) } }
        return [UInt8](unsafeUninitializedCapacity: BLAKE2s.hashLength) { output, count in
            hash.finish(into: UnsafeMutableRawBufferPointer(output))
            count = BLAKE2s.hashLength
        }
    }

    /// Returns a 16-byte MAC: keyed BLAKE2s.
    static func mac(_ key: some ContiguousBytes, _ parts: UnsafeRawBufferPointer...) -> [UInt8] {
        var hash = key.withUnsafeBytes { BLAKE2s(key: $0, outputLength: 16) }
        for part in parts { hash.update(part) }
        return [UInt8](unsafeUninitializedCapacity: 16) { output, count in
            hash.finish(into: UnsafeMutableRawBufferPointer(output))
            count = 16
        }
    }

    /// Returns the HMAC (RFC 2104) with BLAKE2s, for a key of at most one block (64 bytes).
    static func hmac(_ key: some ContiguousBytes, _ parts: UnsafeRawBufferPointer...) -> SymmetricKey {
        withUnsafeTemporaryAllocation(byteCount: BLAKE2s.blockLength + BLAKE2s.hashLength, alignment: 16) { scratch in
            defer { scratch.erase() }
            let pad = UnsafeMutableRawBufferPointer(rebasing: scratch[..<BLAKE2s.blockLength])
            let inner = UnsafeMutableRawBufferPointer(rebasing: scratch[BLAKE2s.blockLength...])
            func hash(padding byte: UInt8, _ parts: [UnsafeRawBufferPointer]) {
                for index in pad.indices { pad[index] = byte }
                key.withUnsafeBytes { for index in $0.indices { pad[index] ^= $0[index] } }
                var hash = BLAKE2s()
                hash.update(UnsafeRawBufferPointer(pad))
                for part in parts { hash.update(part) }
                hash.finish(into: inner)
            }
            hash(padding: 0x36, parts)
            hash(padding: 0x5C, [UnsafeRawBufferPointer(inner)])
            return SymmetricKey(data: UnsafeRawBufferPointer(inner))
        }
    }

    /// Derives one to three keys from a key and input (HKDF, RFC 5869, with an empty `info`).
    ///
    /// - Returns: The requested number of keys.
    static func derive(_ count: Int, from key: SymmetricKey, _ input: some ContiguousBytes) -> [SymmetricKey] {
        let secret = input.withUnsafeBytes { hmac(key, $0) }
        var keys: [SymmetricKey] = []
        for number in 1...UInt8(count) {
            let key = withUnsafeBytes(of: number) { number in
                guard let last = keys.last else { return hmac(secret, number) }
                return last.withUnsafeBytes { hmac(secret, $0, number) }
            }
            keys.append(key)
        }
        return keys
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites bytes with zeros; the function is not inlined, so that the compiler does not remove it as a dead
    /// store.
    @inline(never) func erase() {
        for index in indices { self[index] = 0 }
    }
}
