// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Draws where the views of a nib are, as SVG: each window and each view without a parent, one below the other.
public struct NibDrawing {
    private let nib: Nib
    private let hierarchy: NibHierarchy
    private var shapes: [String] = []
    private var width = 0.0
    private var y = 24.0
    private static let margin = 24.0
    private static let titleHeight = 28.0
    /// Frames beyond it are an interface's mistakes, or a document's that is all of a file.
    private static let mostPoints = 10_000.0

    /// The drawing of a nib as an SVG document; `nil` where no object has a frame.
    public static func svg(of nib: Nib) -> String? {
        var drawing = NibDrawing(nib)
        for object in drawing.hierarchy.topLevel { drawing.drawTopLevel(object) }
        guard !drawing.shapes.isEmpty else { return nil }
        let size = "\(text(drawing.width + 2 * margin))\" height=\"\(text(drawing.y))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size)" font-family="Helvetica, Arial, sans-serif" font-size="12">
            <style>
            .page{fill:#e8eaee}.window{fill:#f6f6f6;stroke:#8a8f98}.bar{fill:#dcdfe4;stroke:#8a8f98}.view{fill:#3b6fd4;fill-opacity:.05;stroke:#8fa6d6}
            .text{fill:none;stroke:#c3cad8;stroke-dasharray:3 2}.field{fill:#fff;stroke:#8a8f98}.button{fill:#fff;stroke:#4a78c8}
            .image{fill:#e3d9f2;stroke:#9b84c2}.list{fill:#fff;stroke:#a9b1bf}.box{fill:#000;fill-opacity:.03;stroke:#b5bac4}
            text{fill:#1f2430}.class{fill:#5a6478;font-size:10px}.heading{font-weight:bold}
            </style>
            <rect class="page" width="100%" height="100%"/>
            \(drawing.shapes.joined(separator: "\n"))
            </svg>

            """
    }

    private init(_ nib: Nib) { (self.nib, hierarchy) = (nib, nib.hierarchy) }

    private mutating func drawTopLevel(_ object: NibReference) {
        guard let frame = drawable(object) else {
            for child in hierarchy.children(of: object) where nib.frame(of: child) != nil { drawTopLevel(child) }
            return
        }
        let size = frame.size
        let isWindow = nib.value("NSWindowRect", of: object) != nil || nib.value("contentRect", of: object) != nil
        let heading = Self.escaped(nib.title(of: object) ?? nib.runtimeClassName(of: object))
        let name = Self.escaped(nib.runtimeClassName(of: object))
        let barWidth = max(size.width, 120)
        shapes.append(
            Self.rect(isWindow ? "bar" : "page", Self.margin, y, barWidth, Self.titleHeight, radius: isWindow ? 6 : 0)
                + Self.clipped(
                    "<text class=\"heading\" x=\"\(isWindow ? 62 : 0)\" y=\"18\">\(heading)</text>", Self.margin, y,
                    barWidth, Self.titleHeight)
                + (isWindow ? Self.lights(Self.margin, y) : ""))
        y += Self.titleHeight
        if isWindow {
            shapes.append(Self.rect("window", Self.margin, y, size.width, size.height))
            for child in hierarchy.children(of: object) {
                draw(child, Self.margin, y, parent: size, isContent: true)
            }
        } else {
            shapes.append(Self.rect("window", Self.margin, y, size.width, size.height))
            drawChildren(of: object, Self.margin, y, size)
        }
        y += size.height
        shapes.append(
            "<text class=\"class\" x=\"\(Self.text(Self.margin))\" y=\"\(Self.text(y + 14))\">\(name), \(Self.text(size.width)) × \(Self.text(size.height))</text>"
        )
        width = max(width, barWidth)
        y += Self.margin + 20
    }

    private func drawable(_ object: NibReference) -> NibRect? {
        nib.frame(of: object).flatMap { frame in
            let numbers = [frame.size.width, frame.size.height, abs(frame.origin.x), abs(frame.origin.y)]
            return numbers.allSatisfy { $0 <= Self.mostPoints } && numbers[0] >= 0 && numbers[1] >= 0 ? frame : nil
        }
    }

    private mutating func draw(
        _ object: NibReference, _ x: Double, _ y: Double, parent: NibSize, isFlipped: Bool = false,
        isContent: Bool = false
    ) {
        guard let frame = drawable(object) else { return }
        let left = x + (isContent ? 0 : frame.origin.x)
        // AppKit counts from the bottom, except in views that say otherwise.
        let top =
            y
            + (isContent
                ? 0
                : nib.isUIKit || isFlipped
                    ? frame.origin.y : parent.height - frame.origin.y - frame.size.height)
        if !isContent { shapes.append(shape(object, left, top, frame.size)) }
        drawChildren(of: object, left, top, frame.size)
    }

    private mutating func drawChildren(of object: NibReference, _ x: Double, _ y: Double, _ size: NibSize) {
        let isFlipped = Self.flipped.contains(nib.className(of: object))
        // The header of a table is inside of it in the file, and above it on the screen.
        for child in hierarchy.children(of: object) { draw(child, x, y, parent: size, isFlipped: isFlipped) }
    }

    private static let flipped: Set = [
        "NSTableView", "NSOutlineView", "NSSplitView", "NSTableHeaderView", "NSScrollView", "NSTextView", "NSTabView",
        "NSClipView",
    ]

    private func shape(_ object: NibReference, _ x: Double, _ y: Double, _ size: NibSize) -> String {
        let name = nib.runtimeClassName(of: object)
        let style = Self.style(
            of: nib.className(of: object) == "NSClassSwapper" || nib.className(of: object) == "UIClassSwapper"
                ? nib.string("NSOriginalClassName", of: object) ?? nib.string("UIOriginalClassName", of: object) ?? name
                : name)
        let title = nib.title(of: object)
        var inner = ""
        // Texts begin at the top; those of one line are in the middle.
        if let title, style != "view" {
            let fit = Self.lines(title, width: size.width - 8, most: max(1, Int(size.height / 15)))
            let first = max(0, (size.height - 15 * Double(fit.count)) / 2) + 12
            let isCentered = style == "button" && !isCheck(object)
            for (index, line) in fit.enumerated() {
                let place =
                    isCentered
                    ? "text-anchor=\"middle\" x=\"\(Self.text(size.width / 2))\"" : "x=\"\(isCheck(object) ? 20 : 4)\""
                inner += "<text \(place) y=\"\(Self.text(first + 15 * Double(index)))\">\(Self.escaped(line))</text>"
            }
        } else if hierarchy.children(of: object).allSatisfy({ drawable($0) == nil }), size.height >= 14 {
            inner =
                "<text class=\"class\" x=\"4\" y=\"\(Self.text(min(size.height - 4, 12)))\">\(Self.escaped(name))</text>"
        }
        let outline =
            isCheck(object)
            ? Self.rect("text", x, y, size.width, size.height)
                + Self.rect("button", x + 3, y + size.height / 2 - 6, 12, 12, radius: 3)
            : Self.rect(style, x, y, size.width, size.height, radius: style == "button" ? 5 : 0)
        return "<g><title>\(Self.escaped(nib.label(of: object)))</title>\(outline)"
            + (inner.isEmpty ? "" : Self.clipped(inner, x, y, size.width, size.height)) + "</g>"
    }

    /// Whether a button is drawn as a box or circle beside its title.
    private func isCheck(_ object: NibReference) -> Bool {
        guard let cell = nib.object("NSCell", of: object) else { return false }
        let image = nib.object("NSAlternateImage", of: cell).flatMap { nib.string("NSImageName", of: $0) }
        return image == "NSSwitch" || image == "NSRadioButton"
    }

    private static func style(of name: String) -> String {
        if name.contains("TextField") || name.contains("SearchField") || name == "UILabel" {
            return name == "NSSearchField" || name == "NSSecureTextField" || name == "UITextField" ? "field" : "text"
        }
        if name.hasSuffix("Button") || name == "NSSegmentedControl" || name == "NSStepper" { return "button" }
        if name.contains("ImageView") { return "image" }
        if [
            "NSScrollView", "NSTableView", "NSOutlineView", "NSTextView", "UITableView", "UITextView",
            "UICollectionView",
        ].contains(name) {
            return "list"
        }
        return name == "NSBox" || name == "NSTabView" ? "box" : "view"
    }

    /// The words of a text in lines that are about as wide as the view.
    private static func lines(_ text: String, width: Double, most: Int) -> [String] {
        let limit = max(1, Int(width / 6.2))
        var lines: [String] = []
        for word in text.prefix(2_000).split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + word.count < limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                guard lines.count < most else { return lines }
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func rect(
        _ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Double = 0
    ) -> String {
        let corner = radius > 0 ? " rx=\"\(text(radius))\"" : ""
        return
            "<rect class=\"\(style)\" x=\"\(text(x))\" y=\"\(text(y))\" width=\"\(text(width))\" height=\"\(text(height))\"\(corner)/>"
    }

    /// Elements within a view's bounds only.
    private static func clipped(_ inner: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String
    {
        "<svg x=\"\(text(x))\" y=\"\(text(y))\" width=\"\(text(width))\" height=\"\(text(height))\">\(inner)</svg>"
    }

    private static func lights(_ x: Double, _ y: Double) -> String {
        zip(["#ff5f57", "#febc2e", "#28c840"], [14.0, 32, 50]).map { color, offset in
            "<circle cx=\"\(text(x + offset))\" cy=\"\(text(y + 14))\" r=\"5.5\" fill=\"\(color)\"/>"
        }.joined()
    }

    private static func text(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML allows no other controls.
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
