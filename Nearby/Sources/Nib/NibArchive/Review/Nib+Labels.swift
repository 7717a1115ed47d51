// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Nib {
    /// Returns the text that users see on an object, such as a window's title; `nil` if it has none or it is empty.
    public func title(of object: NibReference) -> String? {
        for key in ["NSTitle", "NSWindowTitle", "title", "NSContents", "UIText", "text", "NSLabel", "UITitle"] {
            if let text = string(key, of: object), !text.isEmpty { return text }
        }
        // The title of an AppKit control is that of its cell; the title of a UIKit button is that of its content for a
        // control state.
        for key in ["NSCell", "cell"] {
            if let cell = self.object(key, of: object),
                let title = string("NSContents", of: cell) ?? string("title", of: cell),
                !title.isEmpty
            {
                return title
            }
        }
        return elements("UIButtonStatefulContent", of: object).lazy.compactMap { string("UITitle", of: $0) }.first
    }

    /// Returns a human-readable description of an object, such as `NSButton "Close"` or `File's Owner (AppDelegate)`.
    public func label(of object: NibReference) -> String {
        switch placeholder(for: object) {
        case .filesOwner:
            return string("NSClassName", of: object).map { "File's Owner (\($0))" } ?? "File's Owner"
        case .firstResponder: return "First Responder"
        case .application: return "Application"
        case .external(let identifier): return "External Object \"\(identifier)\""
        case nil: break
        }
        let title = title(of: object).map { " \"\(Self.shortened($0))\"" } ?? ""
        return runtimeClassName(of: object) + title
    }

    private static func shortened(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : $0 }
        return line.count <= 40 ? String(line) : String(line.prefix(39)) + "…"
    }

    /// Returns a human-readable description of a connection, such as
    /// `outlet: File's Owner (AppDelegate) -window-> NSWindow "Main"`.
    public func description(of connection: NibConnection) -> String {
        let source = connection.source.map(label) ?? "nothing"
        let nothing = connection.kind.isAction ? "First Responder" : "nothing"
        let ends = connection.destinations.map { text(of: $0).map { "\"\($0)\"" } ?? label(of: $0) }
        let destination = ends.isEmpty ? nothing : ends.joined(separator: ", ")
        let name = connection.label
        return switch connection.kind {
        case .outlet: "outlet: \(source) -\(name)-> \(destination)"
        case .outletCollection: "outlet collection: \(source) -\(name)-> \(destination)"
        case .action: "action: \(source) -\(name)-> \(destination)"
        case .binding(let property, let keyPath): "binding: \(source) \(property) = \(destination) \(keyPath)"
        case .runtimeAttribute:
            "attribute: \(source) \(name) = \(connection.destination.map { text(of: $0) == nil ? valueText(of: $0) : destination } ?? destination)"
        case .accessibility: "accessibility: \(source) \(name) = \(destination)"
        case .other(let className): "\(className): \(source) \(name) \(destination)"
        }
    }

    /// Returns the value of a number object as text; for any other object, its ``label(of:)``.
    public func valueText(of object: NibReference) -> String {
        guard className(of: object) == "NSNumber" else { return label(of: object) }
        return entries(of: object).first { $0.key.hasPrefix("NS.") }.flatMap { $0.value.text } ?? ""
    }
}

extension NibConnection.Kind {
    /// Whether the connection sends an action.
    var isAction: Bool {
        guard case .action = self else { return false }
        return true
    }
}

extension NibValue {
    /// The value as text, unless it is a reference; data as its UTF-8 text, or as its length and checksum.
    var text: String? {
        switch self {
        case .bool(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .data(let bytes):
            String(validating: bytes, as: UTF8.self).map { "\"\($0)\"" }
                ?? "\(bytes.count) bytes, \(Self.checksum(bytes))"
        case .nil: "nil"
        case .object: nil
        case .int8, .int16, .int32, .int64: integer.map(String.init)
        }
    }

    /// Returns an FNV-1a checksum, so that different data of the same length gets a different text.
    private static func checksum(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }
}
