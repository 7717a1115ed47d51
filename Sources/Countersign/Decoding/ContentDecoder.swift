// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
package import NIOCore

/// Takes the codings of a body off: bytes in, bounded pieces out; no I/O.
package struct ContentDecoder {
    package enum Failure: Error, Hashable {
        case malformed(SessionError.MalformedContentCoding)
        /// Byte counts.
        case expanded(received: Int, decoded: Int)
    }

    /// In the order in which they are taken off: the last applied first.
    private var stages: [DecodingStage]
    private let limit: ExpansionLimit
    private var received = 0
    /// Received since something last came of it, in bytes.
    private var fruitless = 0

    /// A head whose name does not end, or blocks with nothing in them: nobody who waits for a piece would ever get one.
    ///
    /// A server that flushes an empty block now and then may do so two hundred thousand times.
    private static let fruitlessLimit = 1 << 20

    /// - Parameters:
    ///   - codings: In the order applied, at least one.
    ///   - limit: Holds between the codings too, where the work is done.
    package init(_ codings: [ContentCoding], limit: ExpansionLimit) {
        stages = codings.reversed().map(DecodingStage.init)
        self.limit = limit
    }

    /// To be called when ``next()`` has returned `nil`.
    package mutating func receive(_ buffer: ByteBuffer) {
        received += buffer.readableBytes
        fruitless += buffer.readableBytes
        stages[stages.startIndex].receive(buffer)
    }

    /// - Returns: The next decoded bytes, at most 64 KiB; `nil` where more has to be received.
    package mutating func next() throws(Failure) -> ByteBuffer? {
        if let output = try pull(from: stages.indices.last ?? 0) {
            fruitless = 0
            return output
        }
        guard fruitless <= Self.fruitlessLimit else { throw .malformed(.data) }
        return nil
    }

    /// To be called when nothing more is received.
    package func finish() throws(Failure) {
        guard stages.allSatisfy(\.isComplete) else { throw .malformed(.truncated) }
    }

    private mutating func pull(from index: Int) throws(Failure) -> ByteBuffer? {
        while true {
            if let output = try stages[index].next() {
                let decoded = stages[index].produced
                guard limit.allows(decoded, from: received) else {
                    throw .expanded(received: received, decoded: decoded)
                }
                return output
            }
            guard index > stages.startIndex, let input = try pull(from: index - 1) else { return nil }
            stages[index].receive(input)
        }
    }
}

/// What is to be done with a body before it is delivered.
struct ContentDecoding: Sendable {
    let codings: [ContentCoding]
    let limit: ExpansionLimit
    let peer: SessionError.Peer

    var decoder: ContentDecoder { ContentDecoder(codings, limit: limit) }

    func error(_ failure: ContentDecoder.Failure) -> SessionError {
        switch failure {
        case .malformed(let reason): .malformedContentCoding(peer, reason)
        case .expanded(let received, let decoded):
            .expansionLimitExceeded(peer, received: received, decoded: decoded)
        }
    }
}
