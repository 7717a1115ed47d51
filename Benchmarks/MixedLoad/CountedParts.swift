// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// The parts of a body, with a count of the iterators that are still in memory.
struct CountedParts: AsyncSequence, Sendable {
    final class Count: Sendable {
        private let box = NIOLockedValueBox(0)

        var value: Int { box.withLockedValue { $0 } }

        fileprivate func change(by difference: Int) { box.withLockedValue { $0 += difference } }
    }

    final class AsyncIterator: AsyncIteratorProtocol {
        private let count: Count
        private let production: Production
        private var left: Int

        fileprivate init(size: Int, count: Count, production: Production) {
            (left, self.count, self.production) = (size, count, production)
            count.change(by: 1)
        }

        deinit { count.change(by: -1) }

        func next() async -> ByteBuffer? {
            guard left > 0 else { return nil }
            let size = Swift.min(left, 10_000)
            left -= size
            production.note(size)
            return ByteBuffer(repeating: 1, count: size)
        }
    }

    let size: Int
    let count: Count
    let production: Production

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(size: size, count: count, production: production) }
}
