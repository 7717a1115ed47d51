// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// PBKDF2 with HMAC-SHA256 (RFC 8018 section 5.2).
enum PBKDF2 {
    /// Derives a key, as many bytes as it has room for.
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

/// Four bytes, the most significant one first.
func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number &>> $0) }
}
