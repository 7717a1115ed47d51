// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// A body whose deadline is told in the words of this shape.
struct ShapedParts: AsyncSequence, Sendable {
    let parts: ResponseBody

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: ResponseBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do {
                return try await parts.next()
            } catch SessionError.limit(.timedOut(_, .total)) {
                throw HTTPClientError.deadlineExceeded
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts.makeAsyncIterator()) }
}
