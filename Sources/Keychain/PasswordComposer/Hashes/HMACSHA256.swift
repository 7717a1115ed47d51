// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// HMAC with SHA-256 (RFC 2104).
///
/// Many messages are authenticated with one key at the cost of two blocks each.
struct HMACSHA256: ~Copyable {
    static let length = 32

    /// The states after the key's blocks.
    private let inner = Scratch<UInt32>(count: 8)
    private let outer = Scratch<UInt32>(count: 8)
    private let digest = Scratch<UInt8>(count: length)
    private var hash = Hash<SHA256>()

    init(key: borrowing Scratch<UInt8>) {
        let block = Scratch<UInt8>(count: Hash<SHA256>.blockLength)
        if key.count > block.count {
            hash.update(key)
            hash.finish(block.words)
        } else {
            block.words.update(from: key.words, count: key.count)
        }
        absorb(block, pad: 0x36)
        inner.copy(from: hash.state)
        // One pad is taken off with the other one put on.
        absorb(block, pad: 0x36 ^ 0x5C)
        outer.copy(from: hash.state)
        hash.reset(afterBlock: inner)
    }

    private mutating func absorb(_ block: borrowing Scratch<UInt8>, pad: UInt8) {
        for index in 0..<block.count { block.words[index] ^= pad }
        hash.reset()
        hash.update(block)
    }

    mutating func update(_ bytes: UnsafePointer<UInt8>, _ count: Int) { hash.update(bytes, count) }
    mutating func update(_ bytes: borrowing Scratch<UInt8>) { hash.update(bytes) }
    mutating func update(_ bytes: [UInt8]) { hash.update(bytes) }

    /// Writes 32 bytes, and starts the next message.
    mutating func finish(_ code: UnsafeMutablePointer<UInt8>) {
        hash.finish(digest.words)
        hash.reset(afterBlock: outer)
        hash.update(digest)
        hash.finish(code)
        hash.reset(afterBlock: inner)
    }
}
