// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A master password or a composed password.
///
/// Its memory is erased on release. It cannot be copied, compared or printed.
public struct SecretBytes: ~Copyable {
    let bytes: Scratch<UInt8>

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Copies bytes.
    ///
    /// The caller must erase the originals.
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

    /// Calls a closure with a pointer to the bytes.
    ///
    /// The pointer is valid only during the call.
    ///
    /// - Parameter body: Receives the bytes. A copy that it makes is not erased.
    /// - Returns: The result of the closure.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: bytes.words, count: count))
    }
}

/// Memory for secrets, and for values from which secrets could be computed.
///
/// It is erased on release.
struct Scratch<Word: FixedWidthInteger>: ~Copyable {
    let words: UnsafeMutablePointer<Word>
    let count: Int

    /// Allocates zeroed words.
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

// Not inlined, because the compiler would remove stores to memory that is released immediately afterwards.
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
