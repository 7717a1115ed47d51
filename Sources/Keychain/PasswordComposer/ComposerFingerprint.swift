// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A small picture of a master password, by which the user notices a typing error.
///
/// A person who sees the picture learns at most 15 bits of scrypt's output. An attacker can compare guesses with it, at
/// the cost of one scrypt computation each, and eliminate all but one in 32,768 wrong guesses.
public struct ComposerFingerprint: Sendable, Hashable {
    /// A sign in the picture, one of 32.
    public struct Sign: Sendable, Hashable {
        /// The outline of the sign.
        public let shape: Shape
        /// The colour of the sign.
        public let color: Color
    }

    /// The outline of a sign; all outlines are distinguishable even in small sizes.
    ///
    /// The raw value is the number of the shape, from 0 to 7.
    public enum Shape: UInt8, Sendable, Hashable, CaseIterable {
        case circle, square, triangle, diamond, star, heart, cross, moon
    }

    /// The colour of a sign; each is visible on white and on black.
    ///
    /// The raw value is the number of the colour, from 0 to 3.
    public enum Color: UInt8, Sendable, Hashable, CaseIterable {
        case red, amber, green, blue
    }

    /// The three signs, from left to right.
    public let signs: [Sign]

    /// Derives the picture from three bytes of scrypt with N = 16384, r = 8, p = 1 and the salt
    /// `countersign-fingerprint-1`.
    ///
    /// The low three bits of each byte are the number of a sign's shape, and the next two bits the number of its
    /// colour. This needs 16 MiB of memory.
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

extension ComposerFingerprint {
    /// The signs in words, such as "red star, blue moon, green heart".
    public var description: String { String(decoding: words, as: UTF8.self) }

    var words: [UInt8] {
        Array(signs.map { ascii($0.color.name) + ascii(" ") + ascii($0.shape.name) }.joined(separator: ascii(", ")))
    }
}

extension ComposerFingerprint.Color {
    /// The English name of the colour.
    public var name: StaticString {
        switch self {
        case .red: "red"
        case .amber: "amber"
        case .green: "green"
        case .blue: "blue"
        }
    }
}

extension ComposerFingerprint.Shape {
    /// The English name of the shape.
    public var name: StaticString {
        switch self {
        case .circle: "circle"
        case .square: "square"
        case .triangle: "triangle"
        case .diamond: "diamond"
        case .star: "star"
        case .heart: "heart"
        case .cross: "cross"
        case .moon: "moon"
        }
    }

    /// A Unicode character that looks like the shape.
    public var symbol: String {
        switch self {
        case .circle: "●"
        case .square: "■"
        case .triangle: "▲"
        case .diamond: "◆"
        case .star: "★"
        case .heart: "♥"
        case .cross: "✚"
        case .moon: "☾"
        }
    }
}

extension ComposerFingerprint {
    /// The picture as an SVG document of 96 by 32 units, without style sheets or scripts.
    public var svg: String { String(decoding: picture, as: UTF8.self) }

    var picture: [UInt8] {
        var text = ascii(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 32" width="96" height="32">"#)
        let places: [StaticString] = ["0", "32", "64"]
        for (place, sign) in zip(places, signs) {
            text += ascii(##"<path transform="translate("##) + ascii(place) + ascii(##" 0)" fill=""##)
            text += ascii(sign.color.svg) + ascii(##"" d=""##) + ascii(sign.shape.path) + ascii(##""/>"##)
        }
        return text + ascii("</svg>")
    }
}

extension ComposerFingerprint.Color {
    /// The colour in SVG; each has a contrast of at least 3:1 with white and with black (WCAG 2.2 section 1.4.11).
    fileprivate var svg: StaticString {
        switch self {
        case .red: "#dc3d55"
        case .amber: "#b9770e"
        case .green: "#1f9254"
        case .blue: "#3b78e7"
        }
    }
}

extension ComposerFingerprint.Shape {
    /// The path data, in a square of 32 units.
    fileprivate var path: StaticString {
        switch self {
        case .circle: "M16 4a12 12 0 1 0 0 24a12 12 0 1 0 0-24z"
        case .square: "M5.5 5.5h21v21h-21z"
        case .triangle: "M16 4L29 27.5H3z"
        case .diamond: "M16 2.5L27.5 16 16 29.5 4.5 16z"
        case .star: "M16 3l3.9 8.4 9.1 1.1-6.7 6.3 1.7 9.1-8-4.5-8 4.5 1.7-9.1L3 12.5l9.1-1.1z"
        case .heart: "M16 28C8 21.5 3.5 17 3.5 11.5A6.7 6.7 0 0 1 16 8.5a6.7 6.7 0 0 1 12.5 3C28.5 17 24 21.5 16 28z"
        case .cross: "M11.5 4h9v7.5H28v9h-7.5V28h-9v-7.5H4v-9h7.5z"
        case .moon: "M20.5 4.5A12.2 12.2 0 1 0 27.5 20 10 10 0 0 1 20.5 4.5z"
        }
    }
}
