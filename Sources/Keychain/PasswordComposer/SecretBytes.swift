// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A master password, or a password that was composed from one.
///
/// Its memory is erased when it is released. It cannot be copied, compared or printed.
public struct SecretBytes: ~Copyable {
    let bytes: Scratch<UInt8>

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Copies bytes.
    ///
    /// The caller erases the original ones.
    ///
    /// - Parameter bytes: A password as UTF-8.
    public init(copying bytes: UnsafeRawBufferPointer) {
        self.bytes = Scratch(count: bytes.count)
        guard let start = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(self.bytes.words).copyMemory(from: start, byteCount: bytes.count)
    }

    init(count: Int) {
        bytes = Scratch(count: count)
    }

    /// Lends the bytes for the duration of a call.
    ///
    /// The pointer is not valid after it.
    ///
    /// - Parameter body: Receives the bytes. A copy that it makes is not erased.
    /// - Returns: What the body returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: bytes.words, count: count))
    }
}

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
