// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fingerprint {
    /// The picture as an SVG document of 96 by 32 units, without style sheets and scripts.
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

extension Fingerprint.Color {
    /// Each has a contrast of at least 3:1 with white and with black (WCAG 2.2 section 1.4.11).
    fileprivate var svg: StaticString {
        switch self {
        case .red: "#dc3d55"
        case .amber: "#b9770e"
        case .green: "#1f9254"
        case .blue: "#3b78e7"
        }
    }
}

extension Fingerprint.Shape {
    /// In a square of 32 units.
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
