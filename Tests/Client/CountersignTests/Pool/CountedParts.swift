// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// A body of three parts that counts its live iterators.
struct CountedParts: AsyncSequence, Sendable {
    /// The number of live iterators.
    final class Count: Sendable {
        private let box = NIOLockedValueBox(0)

        var isZero: Bool { box.withLockedValue { $0 == 0 } }

        func add(_ change: Int) { box.withLockedValue { $0 += change } }
    }

    /// An object with the lifetime of an iterator.
    private final class Token: Sendable {
        let count: Count

        init(_ count: Count) {
            self.count = count
            count.add(1)
        }

        deinit { count.add(-1) }
    }

    struct Iterator: AsyncIteratorProtocol {
        private let token: Token
        private var left = 3

        init(_ count: Count) { token = Token(count) }

        mutating func next() async throws -> ByteBuffer? {
            guard left > 0 else { return nil }
            left -= 1
            try await Task.sleep(for: .microseconds(500))
            return ByteBuffer(repeating: 0x2E, count: 100)
        }
    }

    let count: Count

    func makeAsyncIterator() -> Iterator { Iterator(count) }
}
