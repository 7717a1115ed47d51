// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// A body that must be read by a deadline.
struct DeadlinedParts: AsyncSequence, Sendable {
    let parts: ResponseBody
    let deadline: Deadline

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: ResponseBody.AsyncIterator
        fileprivate let deadline: Deadline

        mutating func next() async throws -> ByteBuffer? {
            guard !deadline.hasPassed else { throw HTTPClientError.deadlineExceeded }
            return try await parts.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: parts.makeAsyncIterator(), deadline: deadline)
    }
}
