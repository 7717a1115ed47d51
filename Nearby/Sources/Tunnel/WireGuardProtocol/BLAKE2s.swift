// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The BLAKE2s hash function, optionally keyed (RFC 7693).
struct BLAKE2s {
    /// The size of a full hash in bytes.
    static let hashLength = 32
    /// The size of a block in bytes.
    static let blockLength = 64

    private static let initialization: SIMD8<UInt32> = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// The message word permutations of the ten rounds (RFC 7693 section 2.7).
    private static let permutations: [UInt8] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
        11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
        9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
        12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
        6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
    ]

    private var state = Self.initialization
    private var block = SIMD16<UInt32>()
    private var filled = 0
    private var total: UInt64 = 0
    private let outputLength: Int

    /// Creates an unkeyed hash.
    ///
    /// - Parameter outputLength: The hash size, 1 to 32 bytes.
    init(outputLength: Int = Self.hashLength) {
        self.outputLength = outputLength
        state[0] ^= 0x0101_0000 ^ UInt32(outputLength)
    }

    /// Creates a keyed hash, which is a MAC.
    ///
    /// - Parameters:
    ///   - key: The key, 1 to 32 bytes.
    ///   - outputLength: The hash size, 1 to 32 bytes.
    init(key: UnsafeRawBufferPointer, outputLength: Int) {
        precondition((1...Self.hashLength).contains(key.count))
        self.init(outputLength: outputLength)
        state[0] ^= UInt32(key.count) << 8
        withUnsafeMutableBytes(of: &block) { $0.copyMemory(from: key) }
        filled = Self.blockLength
    }

    /// Adds bytes to the hash.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Only `finish` compresses the last block, so a full block is buffered until more bytes follow.
            if filled == Self.blockLength { compress(isLast: false) }
            let part = rest.prefix(Self.blockLength - filled)
            withUnsafeMutableBytes(of: &block) { block in
                UnsafeMutableRawBufferPointer(rebasing: block[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: part))
            }
            filled += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Writes the hash and clears the state, which would reveal the key of a MAC; no bytes may be added afterwards.
    ///
    /// - Parameter output: A buffer of at least the hash size.
    mutating func finish(into output: UnsafeMutableRawBufferPointer) {
        withUnsafeMutableBytes(of: &block) { block in
            for index in filled..<Self.blockLength { block[index] = 0 }
        }
        compress(isLast: true)
        state = SIMD8(littleEndian: state)
        withUnsafeBytes(of: &state) { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<outputLength])) }
        withUnsafeMutableBytes(of: &self) { $0.erase() }
    }

    /// Applies the compression function F (RFC 7693 section 3.2).
    private mutating func compress(isLast: Bool) {
        total += UInt64(filled)
        filled = 0
        var (lower, upper) = (state, Self.initialization)
        upper[4] ^= UInt32(truncatingIfNeeded: total)
        upper[5] ^= UInt32(truncatingIfNeeded: total >> 32)
        if isLast { upper[6] = ~upper[6] }
        var work = SIMD16(lowHalf: lower, highHalf: upper)
        withUnsafeBytes(of: SIMD16(littleEndian: block)) { message in
            withUnsafeMutableBytes(of: &work) { work in
                Self.mixRounds(work.assumingMemoryBound(to: UInt32.self), message.assumingMemoryBound(to: UInt32.self))
            }
        }
        (lower, upper) = (work.lowHalf, work.highHalf)
        state ^= lower ^ upper
    }

    /// Applies ten rounds of the function G to the columns and diagonals of the working vector.
    private static func mixRounds(
        _ work: UnsafeMutableBufferPointer<UInt32>, _ message: UnsafeBufferPointer<UInt32>
    ) {
        permutations.withUnsafeBufferPointer { order in
            var next = 0
            @inline(__always) func word() -> UInt32 {
                defer { next += 1 }
                return message[Int(order[next])]
            }
            while next < order.count {
                mix(work, 0, 4, 8, 12, word(), word())
                mix(work, 1, 5, 9, 13, word(), word())
                mix(work, 2, 6, 10, 14, word(), word())
                mix(work, 3, 7, 11, 15, word(), word())
                mix(work, 0, 5, 10, 15, word(), word())
                mix(work, 1, 6, 11, 12, word(), word())
                mix(work, 2, 7, 8, 13, word(), word())
                mix(work, 3, 4, 9, 14, word(), word())
            }
        }
    }

    /// Applies the function G (RFC 7693 section 3.1).
    @inline(__always) private static func mix(
        _ work: UnsafeMutableBufferPointer<UInt32>, _ first: Int, _ second: Int, _ third: Int, _ fourth: Int,
        _ x: UInt32, _ y: UInt32
    ) {
        var (a, b, c, d) = (work[first], work[second], work[third], work[fourth])
        a = a &+ b &+ x
        d ^= a
        d = d &>> 16 | d &<< 16
        c = c &+ d
        b ^= c
        b = b &>> 12 | b &<< 20
        a = a &+ b &+ y
        d ^= a
        d = d &>> 8 | d &<< 24
        c = c &+ d
        b ^= c
        b = b &>> 7 | b &<< 25
        (work[first], work[second], work[third], work[fourth]) = (a, b, c, d)
    }
}
