// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Memory for words that are secret, or that secrets can be computed from.
///
/// It is erased before it is released.
struct Scratch<Word: FixedWidthInteger>: ~Copyable {
    let words: UnsafeMutablePointer<Word>
    let count: Int

    /// Allocates words, all of them zero.
    init(count: Int) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
        self.count = count
    }

    deinit {
        erase(words, count)
        words.deallocate()
    }

    func copy(from other: borrowing Scratch) {
        words.update(from: other.words, count: count)
    }
}

// Not inlined: the compiler would remove stores to memory that is released right after them.
@inline(never)
func erase<Word: FixedWidthInteger>(_ words: UnsafeMutablePointer<Word>, _ count: Int) {
    words.update(repeating: 0, count: count)
}

extension Scratch<UInt8> {
    init(_ bytes: [UInt8]) {
        self.init(count: bytes.count)
        for index in bytes.indices { words[index] = bytes[index] }
    }
}
