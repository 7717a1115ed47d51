// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What distinguishes one hash function from another one of the same construction (Merkle and Damgård): MD5, SHA-256, SHA-512.
protocol HashFunction {
    associatedtype Word: FixedWidthInteger & UnsignedInteger

    /// The words of the state before the first block.
    static var initialState: [Word] { get }

    /// Whether words and the length are stored with their most significant byte first.
    static var isBigEndian: Bool { get }

    /// The number of words that `compress` uses as memory.
    static var scheduleLength: Int { get }

    /// Hashes one block of sixteen words into the state.
    static func compress(
        _ state: UnsafeMutablePointer<Word>, _ block: UnsafePointer<UInt8>, _ schedule: UnsafeMutablePointer<Word>)
}
