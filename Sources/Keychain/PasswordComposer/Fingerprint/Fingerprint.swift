// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A small picture of a master password, by which the user notices a typing error.
///
/// A person who sees the picture learns at most 15 bits of scrypt's output. They can compare guesses with it, each at the cost of one
/// scrypt, and discard all but one in 32,768 of the wrong ones.
public struct Fingerprint: Sendable, Hashable {
    /// A sign of the picture: one of 32.
    public struct Sign: Sendable, Hashable {
        /// The outline of the sign.
        public let shape: Shape
        /// The colour of the sign.
        public let color: Color
    }

    /// The outline of a sign; each can be told from the others in small sizes too.
    ///
    /// The raw value is its number, from 0 to 7.
    public enum Shape: UInt8, Sendable, Hashable, CaseIterable {
        case circle, square, triangle, diamond, star, heart, cross, moon
    }

    /// The colour of a sign; each shows on white and on black.
    ///
    /// The raw value is its number, from 0 to 3.
    public enum Color: UInt8, Sendable, Hashable, CaseIterable {
        case red, amber, green, blue
    }

    /// The three signs, from left to right.
    public let signs: [Sign]

    /// Derives the picture from three bytes of scrypt with N = 16384, r = 8, p = 1 and the salt `countersign-fingerprint-1`.
    ///
    /// The low three bits of a byte are the number of a sign's shape, the next two that of its colour. That needs 16 MiB of memory.
    ///
    /// - Parameter master: The master password as UTF-8.
    public init(of master: borrowing SecretBytes) {
        let key = Scratch<UInt8>(count: 3)
        Scrypt(cost: 16384, blockSize: 8, parallelization: 1)
            .derive(key, password: master, salt: Scratch(ascii("countersign-fingerprint-1")))
        signs = (0..<3).compactMap { index in
            let byte = key.words[index]
            guard let shape = Shape(rawValue: byte & 7), let color = Color(rawValue: byte >> 3 & 3) else { return nil }
            return Sign(shape: shape, color: color)
        }
    }
}
