// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// PBKDF2 with HMAC-SHA256 (RFC 8018 section 5.2).
enum PBKDF2 {
    /// Derives a key, which fills the given memory.
    static func derive(
        _ key: borrowing Scratch<UInt8>, password: borrowing SecretBytes, salt: borrowing Scratch<UInt8>,
        iterations: Int
    ) {
        var hmac = HMACSHA256(key: password.bytes)
        let code = Scratch<UInt8>(count: HMACSHA256.length)
        let block = Scratch<UInt8>(count: HMACSHA256.length)
        var done = 0
        var number: UInt32 = 1
        while done < key.count {
            hmac.update(salt)
            hmac.update(bigEndian(number))
            hmac.finish(code.words)
            block.copy(from: code)
            for _ in 1..<iterations {
                hmac.update(code)
                hmac.finish(code.words)
                var index = 0
                while index < block.count {
                    block.words[index] ^= code.words[index]
                    index &+= 1
                }
            }
            let part = min(block.count, key.count - done)
            (key.words + done).update(from: block.words, count: part)
            done += part
            number += 1
        }
    }
}

/// Returns the four bytes of a number, the most significant first.
func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number &>> $0) }
}

/// HMAC with SHA-256 (RFC 2104).
///
/// The key blocks are hashed only once, so a short message costs two blocks.
struct HMACSHA256: ~Copyable {
    static let length = 32

    /// The hash states after the inner and the outer key block.
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
        // One XOR removes the inner pad and applies the outer one.
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

    /// Writes the 32 bytes of the code, and starts the next message.
    mutating func finish(_ code: UnsafeMutablePointer<UInt8>) {
        hash.finish(digest.words)
        hash.reset(afterBlock: outer)
        hash.update(digest)
        hash.finish(code)
        hash.reset(afterBlock: inner)
    }
}
