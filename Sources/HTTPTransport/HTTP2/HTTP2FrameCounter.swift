// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Counts the frames of a connection that are no DATA, by their heads alone (RFC 9113 section 4.1).
struct HTTP2FrameCounter {
    private static let headSize = 9

    /// How many bytes of a head have been read.
    private var position = 0
    private var length = 0
    /// What is still to come of a payload, in bytes.
    private var payload = 0

    /// Reads what arrived next.
    ///
    /// - Returns: How many frames that are no DATA have begun in it.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (index, count) = (0, 0)
        while index < bytes.count {
            guard payload == 0 else {
                let skipped = min(payload, bytes.count - index)
                payload -= skipped
                index += skipped
                continue
            }
            if position < 3 { length = length << 8 | Int(bytes[index]) }
            if position == 3, bytes[index] != 0 { count += 1 }
            position += 1
            index += 1
            if position == Self.headSize { (payload, length, position) = (length, 0, 0) }
        }
        return count
    }
}
