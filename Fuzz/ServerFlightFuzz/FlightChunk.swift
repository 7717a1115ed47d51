// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes

/// A piece of what a client sees: its kind and how often it comes, a length of two bytes, a content.
struct FlightChunk {
    enum Kind: UInt8 {
        /// Bytes as they are.
        case bytes
        /// A record in the clear.
        case handshake
        /// A record that is encrypted, so that what is changed in it still decrypts.
        case sealedHandshake
        /// The same, of the type that the first byte names.
        case sealed
        /// In the clear, of the type that the first byte names.
        case record
        case changeCipherSpec
        /// A line of the key log.
        case line
        /// The line that has the server's secret.
        case secret
    }

    var kind: Kind
    /// 1 to 32.
    var count = 1
    var content: [UInt8] = []

    init(_ kind: Kind, _ content: [UInt8] = [], count: Int = 1) {
        (self.kind, self.content, self.count) = (kind, content, count)
    }

    var bytes: [UInt8] {
        [kind.rawValue | UInt8(truncatingIfNeeded: count - 1) << 3] + FlightRecipe.vector(content, octets: 2)
    }

    /// Reads chunks; of the last one there may be less than it says.
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
