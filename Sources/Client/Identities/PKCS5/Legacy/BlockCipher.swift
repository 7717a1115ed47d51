// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A cipher of blocks of eight bytes, which stand for a big-endian number.
protocol BlockCipher {
    func decrypt(_ block: UInt64) -> UInt64
}

extension BlockCipher {
    /// Decrypts in CBC mode and takes the padding of RFC 8018 section 6.1.1 off.
    ///
    /// - Parameters:
    ///   - ciphertext: Whole blocks, at least one.
    ///   - vector: The initialization vector, one block.
    /// - Returns: `nil` where the padding is wrong.
    func decryptCBC(_ ciphertext: [UInt8], vector: [UInt8]) -> [UInt8]? {
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(ciphertext.count)
        var previous = UInt64(bigEndian: vector[...])
        for start in stride(from: 0, to: ciphertext.count, by: 8) {
            let block = UInt64(bigEndian: ciphertext[start..<start + 8])
            plaintext.append(bigEndian: decrypt(block) ^ previous)
            previous = block
        }
        guard let last = plaintext.last, (1...8).contains(last), plaintext.suffix(Int(last)).allSatisfy({ $0 == last })
        else { return nil }
        return plaintext.dropLast(Int(last))
    }
}

extension TripleDES {
    /// Pads by RFC 8018 section 6.1.1 and encrypts in CBC mode.
    func encryptCBC(_ plaintext: [UInt8], vector: [UInt8]) -> [UInt8] {
        let count = 8 - plaintext.count % 8
        let padded = plaintext + [UInt8](repeating: UInt8(count), count: count)
        var ciphertext: [UInt8] = []
        var previous = UInt64(bigEndian: vector[...])
        for start in stride(from: 0, to: padded.count, by: 8) {
            previous = encrypt(UInt64(bigEndian: padded[start..<start + 8]) ^ previous)
            ciphertext.append(bigEndian: previous)
        }
        return ciphertext
    }
}

extension UInt64 {
    fileprivate init(bigEndian bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian block: UInt64) {
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: block >> shift))
        }
    }
}
