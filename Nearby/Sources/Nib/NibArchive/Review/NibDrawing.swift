// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An SVG drawing of the views of a nib: each window and each view without a parent, stacked vertically.
public struct NibDrawing {
    private let nib: Nib
    private let hierarchy: NibHierarchy
    private var shapes: [String] = []
    private var width = 0.0
    private var y = 24.0
    /// The views already drawn, so that views that contain each other are drawn only once.
    private var drawn: Set<NibReference> = []
    private static let margin = 24.0
    private static let barHeight = 28.0
    /// The maximum size of a frame; a larger frame is an error, or means "as large as possible".
    private static let maximumExtent = 10_000.0
    private static let maximumDepth = 100

    /// Returns the drawing of a nib as an SVG document; `nil` if no object has a frame.
    public static func svg(of nib: Nib) -> String? {
        var drawing = NibDrawing(nib)
        for object in drawing.hierarchy.topLevel { drawing.drawTopLevel(object) }
        guard !drawing.shapes.isEmpty else { return nil }
        return SVG.document(drawing.shapes, width: drawing.width + 2 * margin, height: drawing.y)
    }

    private init(_ nib: Nib) { (self.nib, hierarchy) = (nib, nib.hierarchy) }

    private mutating func drawTopLevel(_ object: NibReference) {
        guard let size = frame(of: object)?.size else {
            // A controller has no frame, but its view may have one.
            for child in hierarchy.children(of: object) where frame(of: child) != nil { drawTopLevel(child) }
            return
        }
        let isWindow = ["NSWindowRect", "contentRect"].contains { nib.value($0, of: object) != nil }
        let name = nib.runtimeClassName(of: object)
        let (left, barWidth) = (Self.margin, max(size.width, 120))
        let heading = SVG.text(nib.title(of: object) ?? name, x: isWindow ? 62 : 0, y: 18, style: "heading")
        let bar =
            isWindow ? SVG.rect("bar", width: barWidth, height: Self.barHeight, radius: 6) + SVG.titleBarButtons : ""
        shapes.append(
            SVG.group(bar + heading, x: left, y: y, width: barWidth, height: Self.barHeight, isClipped: true))
        y += Self.barHeight
        let content = isWindow ? contentViews(of: object) : [object]
        let inner = content.map { drawSubviews(of: $0, size: size, level: 0) }.joined()
        shapes.append(
            SVG.group(
                SVG.rect("window", width: size.width, height: size.height) + inner, x: left, y: y, width: size.width,
                height: size.height, isClipped: true))
        y += size.height
        let caption = "\(name), \(SVG.number(size.width)) × \(SVG.number(size.height))"
        shapes.append(SVG.text(caption, x: left, y: y + 14, style: "class"))
        width = max(width, barWidth)
        y += Self.margin + 20
    }

    private func contentViews(of window: NibReference) -> [NibReference] {
        nib.object("NSWindowView", of: window).map { [$0] } ?? hierarchy.children(of: window)
    }

    /// Returns the frame of an object that can be drawn.
    private func frame(of object: NibReference) -> NibRect? {
        guard let frame = nib.frame(of: object), (0...Self.maximumExtent).contains(frame.size.width),
            (0...Self.maximumExtent).contains(frame.size.height), abs(frame.origin.x) <= Self.maximumExtent,
            abs(frame.origin.y) <= Self.maximumExtent
        else { return nil }
        return frame
    }

    private mutating func drawSubviews(of object: NibReference, size: NibSize, level: Int) -> String {
        guard level < Self.maximumDepth, drawn.insert(object).inserted else { return "" }
        // A clip view shows the part of its content at the origin of its bounds.
        let shown = nib.string("NSBounds", of: object).flatMap(NibRect.init)?.origin ?? NibPoint(x: 0, y: 0)
        let isFlipped = nib.isUIKit || Self.flipped.contains(nib.className(of: object))
        return subviews(of: object).map { view in
            // A negative number in the flags means that the view is hidden.
            guard let frame = frame(of: view), (nib.value("NSvFlags", of: view)?.integer ?? 0) >= 0 else { return "" }
            // AppKit's origin is at the bottom, except in flipped views.
            let y = frame.origin.y - shown.y
            let top = isFlipped ? y : size.height - y - frame.size.height
            let inner = drawSubviews(of: view, size: frame.size, level: level + 1)
            return SVG.group(
                shape(of: view, size: frame.size, isLeaf: inner.isEmpty) + inner, x: frame.origin.x - shown.x, y: top,
                width: frame.size.width, height: frame.size.height, isClipped: nib.className(of: view) == "NSClipView")
        }.joined()
    }

    private func subviews(of object: NibReference) -> [NibReference] {
        let views = nib.elements("NSSubviews", of: object) + nib.elements("UISubviews", of: object)
        return views.isEmpty && nib.encoding == .designableXML ? hierarchy.children(of: object) : views
    }

    private static let flipped: Set = [
        "NSClipView", "NSOutlineView", "NSScrollView", "NSSplitView", "NSTabView", "NSTableHeaderView", "NSTableView",
        "NSTextView",
    ]

    private func shape(of object: NibReference, size: NibSize, isLeaf: Bool) -> String {
        let name = nib.runtimeClassName(of: object)
        let known = ["NSOriginalClassName", "UIOriginalClassName"].lazy.compactMap { nib.string($0, of: object) }.first
        let style = ViewStyle(className: known ?? name, isCheck: isCheck(object))
        var inner = ""
        if let title = nib.title(of: object), style != .view {
            inner = style.title(title, size: size)
        } else if isLeaf, size.height >= 14 {
            inner = SVG.text(name, x: 4, y: 11, style: "class")
        }
        return style.outline(size: size)
            + SVG.group(
                "<title>\(SVG.escaped(nib.label(of: object)))</title>\(inner)", x: 0, y: 0, width: size.width,
                height: size.height, isClipped: true)
    }

    /// Returns whether a button is a check box or radio button.
    private func isCheck(_ object: NibReference) -> Bool {
        if let cell = nib.object("cell", of: object) {
            return ["check", "radio"].contains(nib.string("type", of: cell))
        }
        let image = nib.object("NSCell", of: object).flatMap { nib.object("NSAlternateImage", of: $0) }
        return ["NSSwitch", "NSRadioButton"].contains(image.flatMap { nib.string("NSImageName", of: $0) })
    }
}
