// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

extension ByteBuffer {
    /// The most that is written in one piece, in bytes: a large one would be encrypted whole before any of it is sent, and its progress
    /// would be reported only when all of it is.
    static let pieceSize = 128 * 1024

    /// Takes off what is written next.
    mutating func readPiece() -> ByteBuffer {
        readSlice(length: Swift.min(Self.pieceSize, readableBytes)) ?? ByteBuffer()
    }
}
