// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// DES (FIPS 46-3), for files of old software only: its keys of 56 bits can be searched through in a day.
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

/// Triple DES (NIST SP 800-67) with two keys or three: the encryption of most PKCS#12 files before 2021.
struct TripleDES: BlockCipher {
    private let first: DESRounds
    private let second: DESRounds
    private let third: DESRounds

    /// Takes 24 bytes, or 16 where the first key is the third one too.
    init(key: [UInt8]) {
        first = DESRounds(key: key.prefix(8))
        second = DESRounds(key: key.dropFirst(8).prefix(8))
        third = key.count > 16 ? DESRounds(key: key.dropFirst(16)) : first
    }

    // Between two DES operations, the final permutation of one undoes the initial one of the next.
    func encrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(third.encrypt(second.decrypt(first.encrypt(DESTables.initial(block)))))
    }

    func decrypt(_ block: UInt64) -> UInt64 {
        DESTables.final(first.decrypt(second.encrypt(third.decrypt(DESTables.initial(block)))))
    }
}

/// The sixteen rounds of DES without its outer permutations, for one key.
private struct DESRounds {
    /// Sixteen keys of eight groups of six bits each.
    private var keys: [UInt32] = []

    /// The key schedule of FIPS 46-3 appendix 1; the parity bits are not looked at.
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

    /// The cipher function f: each S-box sees six bits, of which the outer two are its neighbours' too.
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
