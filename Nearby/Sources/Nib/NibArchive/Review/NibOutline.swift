// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A text representation of a nib without numbers that change between compilations: the object tree with its values,
/// followed by the connections.
///
/// The texts of two interfaces differ only if the interfaces differ, so version control can show the difference line by
/// line.
public struct NibOutline: Sendable {
    /// An object with its values and children.
    struct Node: Sendable {
        let label: String
        let className: String
        /// The values by key; the keys of a helper object's values, such as a font's, include the path to it.
        let attributes: [(key: String, text: String)]
        let children: [Node]
    }

    let nodes: [Node]
    let connections: [String]

    /// Creates the outline of a nib.
    public init(_ nib: Nib) {
        let hierarchy = nib.hierarchy
        let listed = Set(hierarchy.objects)
        // Helper objects that all objects share would be repeated in each of them, so the total is limited.
        var remainingValues = 1_000 + 8 * nib.values.count
        func node(_ object: NibReference) -> Node {
            Node(
                label: nib.label(of: object), className: nib.runtimeClassName(of: object),
                attributes: AttributeCollector.attributes(
                    of: object, in: nib, listed: listed, remainingValues: &remainingValues),
                children: hierarchy.children(of: object).map(node))
        }
        nodes = hierarchy.topLevel.map(node)
        connections = nib.connections.map(nib.description)
    }

    /// Returns the lines of the outline.
    ///
    /// - Parameter withValues: Whether the values of each object follow its line.
    /// - Returns: The lines, each terminated by a line feed.
    public func text(withValues: Bool) -> String {
        var lines: [String] = []
        func add(_ node: Node, _ indentation: String) {
            lines.append(indentation + Self.line(node.label))
            if withValues {
                lines += node.attributes.map { "\(indentation)    \($0.key) = \(Self.line($0.text))" }
            }
            for child in node.children { add(child, indentation + "  ") }
        }
        for node in nodes { add(node, "") }
        if !connections.isEmpty { lines += ["", "Connections"] + connections.map { "  " + Self.line($0) } }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns a text on one line, with characters escaped that a terminal could interpret as commands.
    static func line(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}

/// Collects the values of an object, and of helper objects that are not in the object tree.
private struct AttributeCollector {
    let nib: Nib
    let listed: Set<NibReference>
    /// The remaining number of values.
    var remainingValues: Int
    var attributes: [(key: String, text: String)] = []
    /// The objects already collected, so that a helper object with several references is listed once.
    var seen: Set<NibReference> = []

    static func attributes(
        of object: NibReference, in nib: Nib, listed: Set<NibReference>, remainingValues: inout Int
    ) -> [(key: String, text: String)] {
        var collector = AttributeCollector(nib: nib, listed: listed, remainingValues: remainingValues)
        collector.seen.insert(object)
        collector.collect(object, path: "", level: 0)
        remainingValues = collector.remainingValues
        return collector.attributes
    }

    private mutating func collect(_ object: NibReference, path: String, level: Int) {
        var counts: [String: Int] = [:]
        for (key, value) in nib.entries(of: object) where key != "NSInlinedValue" {
            // All elements of an array have the same key, so they are numbered.
            let number = counts[key, default: 0]
            counts[key] = number + 1
            let name = key == Nib.emptyKey ? "\(number)" : number == 0 ? key : "\(key).\(number)"
            add(value, path: path.isEmpty ? name : "\(path).\(name)", level: level)
        }
    }

    private mutating func add(_ value: NibValue, path: String, level: Int) {
        remainingValues -= 1
        guard case .object(let object) = value else {
            attributes.append((path, value.text ?? ""))
            return
        }
        if let text = nib.text(of: object) {
            attributes.append((path, "\"\(text)\""))
        } else if listed.contains(object) || nib.placeholder(for: object) != nil {
            // The object tree and the connections describe the object; a change of its title must not appear as a
            // change of the referring object.
            attributes.append((path, "<\(nib.runtimeClassName(of: object))>"))
        } else if level < 16, remainingValues > 0, seen.insert(object).inserted {
            guard !["NSSet", "NSMutableSet"].contains(nib.className(of: object)) else {
                // The order of a set's elements in a compiled nib has no meaning.
                let texts = nib.elements(of: object).map { nib.text(of: $0) ?? nib.label(of: $0) }
                remainingValues -= texts.count
                attributes.append((path, "{\(texts.sorted().joined(separator: ", "))}"))
                return
            }
            if nib.className(of: object) != "NSNumber" { attributes.append((path, nib.className(of: object))) }
            collect(object, path: path, level: level + 1)
        } else {
            attributes.append((path, "<\(nib.className(of: object))>"))
        }
    }
}
