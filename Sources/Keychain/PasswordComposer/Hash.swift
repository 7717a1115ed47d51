// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An incremental hash computation.
///
/// It allocates memory once, and erases it on release.
struct Hash<Function: HashFunction>: ~Copyable {
    static var blockLength: Int { 16 * MemoryLayout<Function.Word>.size }
    /// The size of the digest in bytes.
    static var digestLength: Int { Function.initialState.count * MemoryLayout<Function.Word>.size }

    let state: Scratch<Function.Word>
    private let block: Scratch<UInt8>
    private let schedule: Scratch<Function.Word>
    private var used = 0
    /// The length of the message in bytes.
    private var length: UInt64 = 0

    init() {
        state = Scratch(count: Function.initialState.count)
        block = Scratch(count: Self.blockLength)
        schedule = Scratch(count: Function.scheduleLength)
        reset()
    }

    /// Starts a new message.
    mutating func reset() {
        let initial = Function.initialState
        for index in initial.indices { state.words[index] = initial[index] }
        (used, length) = (0, 0)
    }

    /// Starts a new message from the state after a first block.
    mutating func reset(afterBlock other: borrowing Scratch<Function.Word>) {
        state.copy(from: other)
        (used, length) = (0, UInt64(Self.blockLength))
    }

    mutating func update(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        length &+= UInt64(count)
        var taken = 0
        while taken < count {
            let part = min(count - taken, Self.blockLength - used)
            (block.words + used).update(from: bytes + taken, count: part)
            used += part
            taken += part
            if used == Self.blockLength { compress() }
        }
    }

    mutating func update(_ bytes: borrowing Scratch<UInt8>) { update(bytes.words, bytes.count) }

    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress { update(start, buffer.count) }
        }
    }

    /// Pads the message (RFC 1321 section 3.1, RFC 6234 section 4), and writes the digest.
    mutating func finish(_ digest: UnsafeMutablePointer<UInt8>) {
        let bits = length &<< 3
        block.words[used] = 0x80
        used += 1
        let lengthField = 2 * MemoryLayout<Function.Word>.size
        if used > Self.blockLength - lengthField {
            (block.words + used).update(repeating: 0, count: Self.blockLength - used)
            compress()
        }
        (block.words + used).update(repeating: 0, count: Self.blockLength - used)
        var index = 0
        while index < 8 {
            let shift = UInt64(8 * index)
            let place = Function.isBigEndian ? Self.blockLength - 1 - index : Self.blockLength - lengthField + index
            block.words[place] = UInt8(truncatingIfNeeded: bits &>> shift)
            index += 1
        }
        compress()
        let output = UnsafeMutableRawPointer(digest)
        for index in 0..<state.count {
            let word = state.words[index]
            output.storeBytes(
                of: Function.isBigEndian ? word.bigEndian : word.littleEndian,
                toByteOffset: index * MemoryLayout<Function.Word>.size, as: Function.Word.self)
        }
    }

    private mutating func compress() {
        Function.compress(state.words, block.words, schedule.words)
        used = 0
    }
}

/// A hash function of the Merkle–Damgård construction: MD5, SHA-256 or SHA-512.
protocol HashFunction {
    associatedtype Word: FixedWidthInteger & UnsignedInteger

    /// The state before the first block.
    static var initialState: [Word] { get }

    /// Whether words and the length are stored with their most significant byte first.
    static var isBigEndian: Bool { get }

    /// The number of words that `compress` needs as working memory.
    static var scheduleLength: Int { get }

    /// Compresses one block of sixteen words into the state.
    static func compress(
        _ state: UnsafeMutablePointer<Word>, _ block: UnsafePointer<UInt8>, _ schedule: UnsafeMutablePointer<Word>)
}
