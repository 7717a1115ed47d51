// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Counts the frames of a connection by their heads (RFC 9113 section 4.1), whatever is in them.
struct HTTP2FrameCount {
    private(set) var count = 0
    /// How much is still to come of the frame whose head was read last, in bytes.
    private var payload = 0
    private var headSize = 0
    private var length = 0

    /// Counts from nothing again.
    mutating func restart() { count = 0 }

    /// Counts the heads that end in the next bytes of the connection.
    mutating func note(_ bytes: ByteBufferView) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard payload == 0 else {
                let passed = min(payload, rest.count)
                rest = rest.dropFirst(passed)
                payload -= passed
                continue
            }
            let byte = rest.removeFirst()
            if headSize < 3 { length = length << 8 | Int(byte) }
            headSize += 1
            guard headSize == 9 else { continue }
            count += 1
            payload = length
            (headSize, length) = (0, 0)
        }
    }
}
