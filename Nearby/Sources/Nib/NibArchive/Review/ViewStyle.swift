// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The drawing style of a kind of view; the raw value is the class attribute of its shapes in the SVG document.
enum ViewStyle: String {
    case view, label, field, button, check, image, list, box

    /// Returns the style of an AppKit or UIKit class.
    init(className: String, isCheck: Bool) {
        let name = className.dropFirst(2)
        switch name {
        case _ where isCheck: self = .check
        case "SearchField", "SecureTextField", "ComboBox", "DatePicker": self = .field
        case "TextField": self = className.hasPrefix("UI") ? .field : .label
        case "Label": self = .label
        case "SegmentedControl", "Stepper", "Slider", "Switch": self = .button
        case "TableView", "OutlineView", "ScrollView", "TextView", "CollectionView", "Browser": self = .list
        case "Box", "TabView": self = .box
        case _ where name.hasSuffix("Button"): self = .button
        case _ where name.hasSuffix("ImageView"): self = .image
        default: self = .view
        }
    }

    func outline(size: NibSize) -> String {
        switch self {
        case .check:
            SVG.group(
                SVG.rect("button", width: 12, height: 12, radius: 3), x: 3, y: size.height / 2 - 6, width: 13,
                height: 13, isClipped: false)
        case .button: SVG.rect(rawValue, width: size.width, height: size.height, radius: 5)
        default: SVG.rect(rawValue, width: size.width, height: size.height)
        }
    }

    /// Returns the lines of a title, centered vertically.
    func title(_ title: String, size: NibSize) -> String {
        let left = self == .check ? 20.0 : 4
        let lines = Self.lines(title, width: size.width - left, maximumLines: max(1, Int(size.height / 15)))
        let first = max(0, (size.height - 15 * Double(lines.count)) / 2) + 12
        return lines.enumerated().map { index, line in
            SVG.text(
                line, x: self == .button ? size.width / 2 : left, y: first + 15 * Double(index),
                style: self == .button ? "middle" : nil)
        }.joined()
    }

    /// Breaks a text into lines that are approximately as wide as the view.
    private static func lines(_ text: String, width: Double, maximumLines: Int) -> [String] {
        let limit = max(1, Int(width / 6))
        var lines: [String] = []
        for word in text.prefix(2_000).split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + word.count < limit || lines.count == maximumLines {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
