// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// scrypt (RFC 7914).
struct Scrypt {
    /// The cost parameter N, a power of two.
    ///
    /// The memory is 128 × N × r bytes.
    let cost: Int
    /// The block size parameter r.
    let blockSize: Int
    /// The parallelization parameter p.
    let parallelization: Int

    /// Derives a key, which fills the given memory.
    func derive(
        _ key: borrowing Scratch<UInt8>, password: borrowing SecretBytes, salt: borrowing Scratch<UInt8>
    ) {
        // 1. Compute the blocks B with PBKDF2 (section 6).
        let length = 32 * blockSize
        let bytes = Scratch<UInt8>(count: parallelization * 4 * length)
        PBKDF2.derive(bytes, password: password, salt: salt, iterations: 1)
        // 2. Mix each block.
        let table = Scratch<UInt32>(count: cost * length)
        let block = Scratch<UInt32>(count: length)
        let mixed = Scratch<UInt32>(count: length)
        for lane in 0..<parallelization {
            let start = UnsafeMutableRawPointer(bytes.words + lane * 4 * length)
            for index in 0..<length {
                block.words[index] = UInt32(
                    littleEndian: start.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            }
            mix(block, mixed, table)
            for index in 0..<length {
                start.storeBytes(of: block.words[index].littleEndian, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        // 3. Derive the key, with the mixed blocks as the salt.
        PBKDF2.derive(key, password: password, salt: bytes, iterations: 1)
    }

    /// scryptROMix (section 5).
    private func mix(
        _ block: borrowing Scratch<UInt32>, _ mixed: borrowing Scratch<UInt32>, _ table: borrowing Scratch<UInt32>
    ) {
        let length = block.count
        var (current, next) = (block.words, mixed.words)
        var row = 0
        while row < cost {
            (table.words + row &* length).update(from: current, count: length)
            mixBlocks(current, next)
            swap(&current, &next)
            row &+= 1
        }
        row = 0
        while row < cost {
            // Integerify: the low bits of the last 64 bytes. N is a power of two.
            let chosen = table.words + Int(current[length &- 16] & UInt32(cost &- 1)) &* length
            var index = 0
            while index < length {
                current[index] ^= chosen[index]
                index &+= 1
            }
            mixBlocks(current, next)
            swap(&current, &next)
            row &+= 1
        }
        // N is even, so the result is in `block` again.
    }

    /// scryptBlockMix (section 4).
    private func mixBlocks(_ input: UnsafeMutablePointer<UInt32>, _ output: UnsafeMutablePointer<UInt32>) {
        var previous = input + 16 &* (2 &* blockSize &- 1)
        var index = 0
        while index < 2 &* blockSize {
            // Blocks with even numbers come before those with odd numbers.
            let place = output + 16 &* ((index & 1) &* blockSize &+ index &>> 1)
            let source = input + 16 &* index
            var word = 0
            while word < 16 {
                place[word] = previous[word] ^ source[word]
                word &+= 1
            }
            Salsa20.apply(place)
            previous = place
            index &+= 1
        }
    }
}

/// The core of Salsa20 with eight rounds (RFC 7914 section 3).
enum Salsa20 {
    /// Permutes sixteen words, and adds them to their previous values.
    ///
    /// Local variables stay in registers, which array elements would not.
    static func apply(_ x: UnsafeMutablePointer<UInt32>) {
        var (a, b, c, d) = (x[0], x[1], x[2], x[3])
        var (e, f, g, h) = (x[4], x[5], x[6], x[7])
        var (i, j, k, l) = (x[8], x[9], x[10], x[11])
        var (m, n, o, p) = (x[12], x[13], x[14], x[15])
        var sum: UInt32
        var round = 0
        while round < 8 {
            sum = a &+ m
            e ^= sum &<< 7 | sum &>> 25
            sum = e &+ a
            i ^= sum &<< 9 | sum &>> 23
            sum = i &+ e
            m ^= sum &<< 13 | sum &>> 19
            sum = m &+ i
            a ^= sum &<< 18 | sum &>> 14
            sum = f &+ b
            j ^= sum &<< 7 | sum &>> 25
            sum = j &+ f
            n ^= sum &<< 9 | sum &>> 23
            sum = n &+ j
            b ^= sum &<< 13 | sum &>> 19
            sum = b &+ n
            f ^= sum &<< 18 | sum &>> 14
            sum = k &+ g
            o ^= sum &<< 7 | sum &>> 25
            sum = o &+ k
            c ^= sum &<< 9 | sum &>> 23
            sum = c &+ o
            g ^= sum &<< 13 | sum &>> 19
            sum = g &+ c
            k ^= sum &<< 18 | sum &>> 14
            sum = p &+ l
            d ^= sum &<< 7 | sum &>> 25
            sum = d &+ p
            h ^= sum &<< 9 | sum &>> 23
            sum = h &+ d
            l ^= sum &<< 13 | sum &>> 19
            sum = l &+ h
            p ^= sum &<< 18 | sum &>> 14
            sum = a &+ d
            b ^= sum &<< 7 | sum &>> 25
            sum = b &+ a
            c ^= sum &<< 9 | sum &>> 23
            sum = c &+ b
            d ^= sum &<< 13 | sum &>> 19
            sum = d &+ c
            a ^= sum &<< 18 | sum &>> 14
            sum = f &+ e
            g ^= sum &<< 7 | sum &>> 25
            sum = g &+ f
            h ^= sum &<< 9 | sum &>> 23
            sum = h &+ g
            e ^= sum &<< 13 | sum &>> 19
            sum = e &+ h
            f ^= sum &<< 18 | sum &>> 14
            sum = k &+ j
            l ^= sum &<< 7 | sum &>> 25
            sum = l &+ k
            i ^= sum &<< 9 | sum &>> 23
            sum = i &+ l
            j ^= sum &<< 13 | sum &>> 19
            sum = j &+ i
            k ^= sum &<< 18 | sum &>> 14
            sum = p &+ o
            m ^= sum &<< 7 | sum &>> 25
            sum = m &+ p
            n ^= sum &<< 9 | sum &>> 23
            sum = n &+ m
            o ^= sum &<< 13 | sum &>> 19
            sum = o &+ n
            p ^= sum &<< 18 | sum &>> 14
            round &+= 2
        }
        x[0] &+= a
        x[1] &+= b
        x[2] &+= c
        x[3] &+= d
        x[4] &+= e
        x[5] &+= f
        x[6] &+= g
        x[7] &+= h
        x[8] &+= i
        x[9] &+= j
        x[10] &+= k
        x[11] &+= l
        x[12] &+= m
        x[13] &+= n
        x[14] &+= o
        x[15] &+= p
    }
}
