// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// One stream of a coding, which is taken off piece by piece.
protocol CodedStream {
    /// Decodes what fits into a piece.
    ///
    /// - Parameters:
    ///   - input: What is used of it is taken off.
    ///   - capacity: Of the piece, in bytes.
    /// - Returns: What was decoded; of no bytes where the input is used up without it.
    /// - Throws: Where the input is not what it should be.
    func decode(_ input: inout ByteBuffer, atMost capacity: Int) throws(ContentDecoder.Failure) -> DecodedPiece
}

/// What a stream gives at once.
struct DecodedPiece {
    let output: ByteBuffer
    /// Whether there may be more without more input.
    let isFull: Bool
    /// Whether the stream is at its end; what is left of the input is not its.
    let isLast: Bool
}
