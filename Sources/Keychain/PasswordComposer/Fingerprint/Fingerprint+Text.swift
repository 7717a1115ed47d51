// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fingerprint {
    /// The signs in words, such as "red star, blue moon, green heart".
    public var description: String { String(decoding: words, as: UTF8.self) }

    var words: [UInt8] {
        Array(signs.map { ascii($0.color.name) + ascii(" ") + ascii($0.shape.name) }.joined(separator: ascii(", ")))
    }
}

extension Fingerprint.Color {
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

extension Fingerprint.Shape {
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
