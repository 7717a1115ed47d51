// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// The hash that NT passwords are kept under (RFC 1320); broken for every other use.
package enum MD4 {
    private typealias State = (a: UInt32, b: UInt32, c: UInt32, d: UInt32)

    /// The digest, 16 bytes; no copy of the message is left behind.
    package static func digest(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        var padded: [UInt8] = []
        // At most 63 bytes of padding and 8 of length: appending must not leave a first, smaller copy.
        padded.reserveCapacity(message.count + 72)
        padded.append(contentsOf: message)
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        padded.append(littleEndian: UInt64(message.count) &* 8)
        defer { padded.erase() }

        var state: State = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        for start in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { padded.littleEndian(UInt32.self, at: start + 4 * $0) ?? 0 }
            mix(words, into: &state)
            words.erase()
        }
        var digest: [UInt8] = []
        for word in [state.a, state.b, state.c, state.d] { digest.append(littleEndian: word) }
        return digest
    }

    /// Section 3.4: three rounds of sixteen steps.
    private static func mix(_ words: [UInt32], into state: inout State) {
        let before = state
        for step in 0..<16 {
            turn(&state, state.b & state.c | ~state.b & state.d, words[step], 0, [3, 7, 11, 19][step % 4])
        }
        for step in 0..<16 {
            let majority = state.b & state.c | state.b & state.d | state.c & state.d
            turn(&state, majority, words[step % 4 * 4 + step / 4], 0x5A82_7999, [3, 5, 9, 13][step % 4])
        }
        let order = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
        for step in 0..<16 {
            turn(&state, state.b ^ state.c ^ state.d, words[order[step]], 0x6ED9_EBA1, [3, 9, 11, 15][step % 4])
        }
        state = (state.a &+ before.a, state.b &+ before.b, state.c &+ before.c, state.d &+ before.d)
    }

    private static func turn(_ state: inout State, _ mixed: UInt32, _ word: UInt32, _ constant: UInt32, _ by: UInt32) {
        let sum = state.a &+ mixed &+ word &+ constant
        state = (state.d, sum << by | sum >> (32 - by), state.b, state.c)
    }
}
