// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The body of an upload, whose zeros are produced while it is sent.
package struct Zeros: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private static let part = ByteBuffer(repeating: 0, count: 128 * 1024)

    private var rest: Int

    /// - Parameter count: The number of bytes.
    package init(_ count: Int) { rest = count }

    package func makeAsyncIterator() -> Self { self }

    package mutating func next() async -> ByteBuffer? {
        guard rest > 0 else { return nil }
        let length = Swift.min(rest, Self.part.readableBytes)
        rest -= length
        return Self.part.getSlice(at: 0, length: length)
    }
}
