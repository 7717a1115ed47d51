// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bytes that arrive in any portions and are taken from the front; taking costs what is taken.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var front: ArraySlice<UInt8> { bytes[start...] }

    mutating func append(_ portion: some Collection<UInt8>) {
        // Moved only where that frees at least as much as it moves.
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += portion
    }

    /// - Returns: That many bytes; `nil` where there are not so many yet.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= self.count else { return nil }
        defer { start += count }
        return bytes[start..<start + count]
    }
}
