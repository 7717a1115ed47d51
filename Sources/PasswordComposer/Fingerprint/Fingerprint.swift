// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A small picture of a master password, by which the user sees a typing error.
///
/// Who sees the picture learns at most 15 bits of what scrypt makes of the password. They can try guesses against it, each at the cost of one
/// scrypt, and discard all but one in 32,768 of the wrong ones.
public struct Fingerprint: Sendable, Hashable {
    /// One of 32 signs.
    public struct Sign: Sendable, Hashable {
        /// Its outline.
        public let shape: Shape
        /// Its colour.
        public let color: Color
    }

    /// Outlines that differ in small sizes too.
    public enum Shape: UInt8, Sendable, Hashable, CaseIterable {
        case circle, square, triangle, diamond, star, heart, cross, moon
    }

    /// Colours that show on white and on black.
    public enum Color: UInt8, Sendable, Hashable, CaseIterable {
        case red, amber, green, blue
    }

    /// Three signs, the first one leftmost.
    public let signs: [Sign]

    /// Derives the picture: three bytes of scrypt with N = 16384, r = 8, p = 1 and the salt `countersign-fingerprint-1`.
    ///
    /// The low three bits of a byte choose the shape of a sign, the next two its colour, by their order above. That needs 16 MiB.
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
