// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The body that a request has sent or received.
package struct LoadedBody {
    /// The number of bytes.
    package private(set) var count: Int
    private let expected: [UInt8]?
    private var isDifferent = false

    /// - Parameter expected: The expected bytes; `nil` if every body is right.
    init(expecting expected: [UInt8]?) {
        (count, self.expected) = (0, expected)
    }

    /// Whether the body differs from the expected one.
    var isWrong: Bool { isDifferent || expected.map { $0.count != count } ?? false }

    /// Adds received bytes.
    package mutating func receive(_ part: ByteBuffer) {
        if let expected {
            isDifferent =
                isDifferent
                || !part.readableBytesView.elementsEqual(expected.dropFirst(count).prefix(part.readableBytes))
        }
        count += part.readableBytes
    }

    /// Adds a number of sent bytes.
    package mutating func send(_ length: Int) { count += length }
}
