// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// RC4 (RFC 6229 has its vectors), which a few old PKCS#12 files are encrypted with: to read them, never to write.
struct RC4 {
    private var state: [UInt8]
    private var i: UInt8 = 0
    private var j: UInt8 = 0

    /// Takes a key of 1 to 256 bytes.
    init(key: [UInt8]) {
        state = Array(0...255)
        var j: UInt8 = 0
        for i in 0..<256 {
            j = j &+ state[i] &+ key[i % key.count]
            state.swapAt(i, Int(j))
        }
    }

    /// Encrypts or decrypts, which are the same.
    mutating func apply(to bytes: [UInt8]) -> [UInt8] {
        bytes.map { $0 ^ next() }
    }

    private mutating func next() -> UInt8 {
        i &+= 1
        j &+= state[Int(i)]
        state.swapAt(Int(i), Int(j))
        return state[Int(state[Int(i)] &+ state[Int(j)])]
    }
}
