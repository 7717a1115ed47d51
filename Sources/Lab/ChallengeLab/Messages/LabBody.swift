// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The body of a request: its length, and only what the server's gate and service ask of its bytes.
package struct LabBody: Sendable {
    /// What is kept while a body arrives.
    package struct Use: Hashable, Sendable {
        /// Whether the service reads the bytes.
        var isGathered = false
        /// With what the gate hashes them.
        var hash: DigestHash?
    }

    /// In bytes.
    package private(set) var length = 0
    /// Empty where the bytes are not gathered.
    package private(set) var bytes = ByteBuffer()
    private let isGathered: Bool
    private var hasher: BodyHasher?

    package init(_ use: Use = Use()) {
        isGathered = use.isGathered
        hasher = use.hash.map(BodyHasher.init)
    }

    mutating func append(_ part: ByteBuffer) {
        length += part.readableBytes
        hasher?.update(part)
        if isGathered { bytes.writeImmutableBuffer(part) }
    }

    /// The hash of all bytes in hexadecimal; `nil` where the body is not hashed.
    var digest: String? { hasher?.digest }
}
