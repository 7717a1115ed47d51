// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A byte queue; the cost of removing bytes from its front is proportional to their number.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var front: ArraySlice<UInt8> { bytes[start...] }

    mutating func append(_ portion: some Collection<UInt8>) {
        // Bytes are moved only if that frees at least as many bytes as it moves.
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += portion
    }

    /// Removes bytes from the front.
    ///
    /// - Returns: The bytes; `nil` if the queue contains fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= self.count else { return nil }
        defer { start += count }
        return bytes[start..<start + count]
    }
}
