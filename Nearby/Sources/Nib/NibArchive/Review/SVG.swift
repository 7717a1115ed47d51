// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The elements of an SVG document.
enum SVG {
    static func document(_ elements: [String], width: Double, height: Double) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
        font-family="Helvetica, Arial, sans-serif" font-size="12">
        <style>
        .page{fill:#e8eaee}.window{fill:#f6f6f6;stroke:#8a8f98}.bar{fill:#dcdfe4;stroke:#8a8f98}
        .view{fill:#3b6fd4;fill-opacity:.05;stroke:#8fa6d6}.label{fill:none;stroke:#c3cad8;stroke-dasharray:3 2}
        .field{fill:#fff;stroke:#8a8f98}.button{fill:#fff;stroke:#4a78c8}.check{fill:none;stroke:#c3cad8;stroke-dasharray:3 2}
        .image{fill:#e3d9f2;stroke:#9b84c2}.list{fill:#fff;stroke:#a9b1bf}.box{fill:#000;fill-opacity:.03;stroke:#b5bac4}
        text{fill:#1f2430}.class{fill:#5a6478;font-size:10px}.heading{font-weight:bold}.middle{text-anchor:middle}
        </style>
        <rect class="page" width="100%" height="100%"/>
        \(elements.joined(separator: "\n"))
        </svg>

        """
    }

    /// Returns a group with its own coordinate system.
    static func group(
        _ inner: String, x: Double, y: Double, width: Double, height: Double, isClipped: Bool
    ) -> String {
        guard !inner.isEmpty else { return "" }
        let place = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        return "<svg \(place)\(isClipped ? "" : " overflow=\"visible\"")>\(inner)</svg>"
    }

    static func rect(_ style: String, width: Double, height: Double, radius: Double = 0) -> String {
        let corner = radius > 0 ? " rx=\"\(number(radius))\"" : ""
        return "<rect class=\"\(style)\" width=\"\(number(width))\" height=\"\(number(height))\"\(corner)/>"
    }

    static func text(_ text: String, x: Double, y: Double, style: String? = nil) -> String {
        let styled = style.map { " class=\"\($0)\"" } ?? ""
        return "<text\(styled) x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    /// The buttons of a window's title bar.
    static let titleBarButtons = zip(["#ff5f57", "#febc2e", "#28c840"], [14, 32, 50]).map { color, x in
        "<circle cx=\"\(x)\" cy=\"14\" r=\"5.5\" fill=\"\(color)\"/>"
    }.joined()

    /// Returns a number with at most one decimal digit.
    static func number(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            // XML allows no other control characters, and not the characters U+FFFE and U+FFFF.
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
