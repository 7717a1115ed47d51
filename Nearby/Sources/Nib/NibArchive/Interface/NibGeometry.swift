// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A point in the coordinate system of a view, in points.
public struct NibPoint: Hashable, Sendable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the bottom edge in AppKit, or from the top edge in UIKit.
    public var y: Double

    /// Creates a point from its coordinates.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A size, in points.
public struct NibSize: Hashable, Sendable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size from its width and height.
    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// A rectangle in the coordinate system of the parent view, in points.
public struct NibRect: Hashable, Sendable {
    /// The corner with the minimum coordinates.
    public var origin: NibPoint
    /// The width and height.
    public var size: NibSize

    /// Creates a rectangle from its origin and size.
    public init(origin: NibPoint, size: NibSize) { (self.origin, self.size) = (origin, size) }
}

extension NibPoint {
    /// Parses a point in AppKit's format, `{20, 80}`; returns `nil` for any other text, or one of more than 256 bytes.
    public init?(_ text: String) {
        guard let numbers = geometryNumbers(text, count: 2) else { return nil }
        self.init(x: numbers[0], y: numbers[1])
    }
}

extension NibSize {
    /// Parses a size in AppKit's format, `{260, 22}`; returns `nil` for any other text, or one of more than 256 bytes.
    public init?(_ text: String) {
        guard let numbers = geometryNumbers(text, count: 2) else { return nil }
        self.init(width: numbers[0], height: numbers[1])
    }
}

extension NibRect {
    /// Parses a rectangle in AppKit's format, `{{20, 80}, {260, 22}}`; returns `nil` for any other text, or one of more
    /// than 256 bytes.
    public init?(_ text: String) {
        guard let numbers = geometryNumbers(text, count: 4) else { return nil }
        self.init(
            origin: NibPoint(x: numbers[0], y: numbers[1]), size: NibSize(width: numbers[2], height: numbers[3]))
    }
}

private func geometryNumbers(_ text: String, count: Int) -> [Double]? {
    guard text.utf8.count <= 256 else { return nil }
    let parts = text.filter { !"{} ".contains($0) }.split(separator: ",").map { Double($0) }
    let numbers = parts.compactMap(\.self).filter(\.isFinite)
    return numbers.count == count && parts.count == count ? numbers : nil
}

extension Nib {
    /// Returns the frame of a view in its parent, or of a window's content on the screen; `nil` for an object without a
    /// frame.
    public func frame(of object: NibReference) -> NibRect? {
        for key in ["NSFrame", "NSWindowRect", "frame", "contentRect"] {
            if let frame = string(key, of: object).flatMap(NibRect.init) { return frame }
        }
        // A view at the origin only has a size.
        if let size = string("NSFrameSize", of: object).flatMap(NibSize.init) {
            return NibRect(origin: NibPoint(x: 0, y: 0), size: size)
        }
        guard let bounds = doubles("UIBounds", of: object), bounds.count == 4,
            let center = doubles("UICenter", of: object), center.count == 2
        else { return nil }
        return NibRect(
            origin: NibPoint(x: center[0] - bounds[2] / 2, y: center[1] - bounds[3] / 2),
            size: NibSize(width: bounds[2], height: bounds[3]))
    }

    /// Decodes UIKit's floating-point numbers: a byte 7 precedes 8-byte numbers, and a byte 6 precedes 4-byte numbers.
    private func doubles(_ key: String, of object: NibReference) -> [Double]? {
        guard case .data(let bytes)? = value(key, of: object), let type = bytes.first, type == 6 || type == 7 else {
            return nil
        }
        let size = type == 6 ? 4 : 8
        guard bytes.count <= 256, (bytes.count - 1).isMultiple(of: size) else { return nil }
        let numbers = stride(from: 1, to: bytes.count, by: size).map { start in
            let bits = bytes[start..<start + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
        }
        return numbers.allSatisfy(\.isFinite) ? numbers : nil
    }
}
