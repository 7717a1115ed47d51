// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// DES (FIPS 46-3), only for files of old software: its 56-bit keys can be found by exhaustive search in a day.
struct DES: BlockCipher {
    private let rounds: DESRounds

    init(key: [UInt8]) {
        rounds = DESRounds(key: key[...])
    }

    func encrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(rounds.encrypt(DESTables.initial(block)))
    }

    func decrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(rounds.decrypt(DESTables.initial(block)))
    }
}

/// Triple DES (NIST SP 800-67) with two or three keys, the encryption of most PKCS#12 files before 2021.
struct TripleDES: BlockCipher {
    private let first: DESRounds
    private let second: DESRounds
    private let third: DESRounds

    /// Makes a cipher with a key of 24 bytes, or of 16 bytes if the third key equals the first.
    init(key: [UInt8]) {
        first = DESRounds(key: key.prefix(8))
        second = DESRounds(key: key.dropFirst(8).prefix(8))
        third = key.count > 16 ? DESRounds(key: key.dropFirst(16)) : first
    }

    // Between two DES operations, the final permutation and the next initial one cancel out.
    func encrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(third.encrypt(second.decrypt(first.encrypt(DESTables.initial(block)))))
    }

    func decrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(first.decrypt(second.encrypt(third.decrypt(DESTables.initial(block)))))
    }
}

/// The sixteen DES rounds for one key, without the initial and final permutations.
private struct DESRounds {
    /// The sixteen round keys, each with eight groups of six bits.
    private var keys: [UInt32] = []

    /// Computes the key schedule of FIPS 46-3 appendix 1; the parity bits are ignored.
    init(key: ArraySlice<UInt8>) {
        let chosen = DESTables.permute(key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, 64, DESTables.choice1)
        var (left, right) = (UInt32(chosen >> 28), UInt32(chosen & 0xfff_ffff))
        for round in 0..<16 {
            let shift: UInt32 = [0, 1, 8, 15].contains(round) ? 1 : 2
            left = (left << shift | left >> (28 - shift)) & 0xfff_ffff
            right = (right << shift | right >> (28 - shift)) & 0xfff_ffff
            let roundKey = DESTables.permute(UInt64(left) << 28 | UInt64(right), 56, DESTables.choice2)
            for group in 0..<8 { keys.append(UInt32(roundKey >> UInt64(42 - 6 * group) & 0x3f)) }
        }
    }

    func encrypt(_ block: UInt64) -> UInt64 { run(block, 0..<16) }

    func decrypt(_ block: UInt64) -> UInt64 { run(block, (0..<16).reversed()) }

    private func run(_ block: UInt64, _ order: some Sequence<Int>) -> UInt64 {
        var (left, right) = (UInt32(block >> 32), UInt32(truncatingIfNeeded: block))
        for round in order {
            (left, right) = (right, left ^ mix(right, round))
        }
        return UInt64(right) << 32 | UInt64(left)
    }

    /// Returns the result of the cipher function f; the input of each S-box is six bits, the outer two of which overlap
    /// with its neighbors.
    private func mix(_ half: UInt32, _ round: Int) -> UInt32 {
        var mixed: UInt32 = 0
        for group in 0..<8 {
            let turn = UInt32(4 * group + 5) % 32
            let six = (half << turn | half >> (32 - turn)) & 0x3f ^ keys[8 * round + group]
            mixed ^= DESTables.substitutions[64 * group + Int(six)]
        }
        return mixed
    }
}

/// The permutations and S-boxes of FIPS 46-3; bits are numbered from 1, the most significant.
private enum DESTables {
    /// Permutes or selects bits of a value of the given width.
    static func permute(_ value: UInt64, _ width: UInt64, _ table: [UInt8]) -> UInt64 {
        table.reduce(0) { $0 << 1 | value >> (width - UInt64($1)) & 1 }
    }

    /// Applies the initial permutation, IP.
    static func initial(_ block: UInt64) -> UInt64 { permute(block, 64, initialPermutation) }

    /// Applies the final permutation, the inverse of IP.
    static func final(_ block: UInt64) -> UInt64 { permute(block, 64, finalPermutation) }

    private static let initialPermutation: [UInt8] = {
        let first: [UInt8] = [58, 60, 62, 64, 57, 59, 61, 63]
        return (0..<64).map { first[$0 / 8] - 8 * UInt8($0 % 8) }
    }()

    private static let finalPermutation: [UInt8] = {
        let first: [UInt8] = [40, 8, 48, 16, 56, 24, 64, 32]
        return (0..<64).map { first[$0 % 8] - UInt8($0 / 8) }
    }()

    /// The permuted choice 1, PC-1.
    static let choice1: [UInt8] = [
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    ]

    /// The permuted choice 2, PC-2.
    static let choice2: [UInt8] = [
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
        41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    ]

    /// The outputs of the eight S-boxes for six bits each, already permuted by P.
    static let substitutions: [UInt32] = (0..<512).map { index in
        let (box, six) = (index / 64, index % 64)
        let row = six >> 4 & 2 | six & 1
        let four = boxes[64 * box + 16 * row + (six >> 1 & 0xf)]
        return UInt32(permute(UInt64(four) << UInt64(28 - 4 * box), 32, permutation))
    }

    /// The permutation P.
    private static let permutation: [UInt8] = [
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
        2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
    ]

    /// The S-boxes S1 to S8, one row per line.
    private static let boxes: [UInt8] = [
        14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7,
        0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
        4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0,
        15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,

        15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10,
        3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
        0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15,
        13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,

        10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8,
        13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
        13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7,
        1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,

        7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15,
        13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
        10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4,
        3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,

        2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9,
        14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
        4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14,
        11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,

        12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11,
        10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
        9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6,
        4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,

        4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1,
        13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
        1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2,
        6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,

        13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7,
        1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
        7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8,
        2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
    ]
}

/// A cipher with blocks of eight bytes, represented as big-endian numbers.
protocol BlockCipher {
    func decrypt(_ block: UInt64) -> UInt64
}

extension BlockCipher {
    /// Decrypts in CBC mode and removes the padding of RFC 8018 section 6.1.1.
    ///
    /// - Parameters:
    ///   - ciphertext: The ciphertext, one or more complete blocks.
    ///   - vector: The initialization vector, one block.
    /// - Returns: The plaintext; `nil` if the padding is invalid.
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
    /// Adds the padding of RFC 8018 section 6.1.1 and encrypts in CBC mode.
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
