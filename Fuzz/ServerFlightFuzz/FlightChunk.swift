// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes

/// A chunk of the client's input: a byte for the kind and the repetitions, a length of two bytes, and the content.
struct FlightChunk {
    enum Kind: UInt8 {
        /// Unchanged bytes.
        case bytes
        /// A plaintext record.
        case handshake
        /// An encrypted record, which still decrypts after its content was changed.
        case sealedHandshake
        /// An encrypted record of the type in the first byte.
        case sealed
        /// A plaintext record of the type in the first byte.
        case record
        case changeCipherSpec
        /// A line of the key log.
        case line
        /// The key log line with the server's secret.
        case secret
    }

    var kind: Kind
    /// The number of repetitions, from 1 to 32.
    var count = 1
    var content: [UInt8] = []

    init(_ kind: Kind, _ content: [UInt8] = [], count: Int = 1) {
        (self.kind, self.content, self.count) = (kind, content, count)
    }

    var bytes: [UInt8] {
        [kind.rawValue | UInt8(truncatingIfNeeded: count - 1) << 3] + FlightRecipe.vector(content, octets: 2)
    }

    /// Returns the chunks of an input, of which the last may be truncated.
    static func all(_ input: ArraySlice<UInt8>) -> [FlightChunk] {
        var (rest, chunks) = (input, [FlightChunk]())
        while let first = rest.popFirst(), let kind = Kind(rawValue: first & 7) {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            let content = rest.dropFirst(2).prefix(length)
            chunks.append(FlightChunk(kind, Array(content), count: Int(first >> 3) + 1))
            rest = rest.dropFirst(2 + length)
        }
        return chunks
    }
}
