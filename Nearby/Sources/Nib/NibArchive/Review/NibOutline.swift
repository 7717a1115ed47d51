// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A nib as text without numbers that change from one compilation to the next: the tree of its objects with their values, then its
/// connections.
///
/// Two such texts differ where the interfaces do, so version control can show the difference line by line.
public struct NibOutline: Sendable {
    /// An object with its values and parts.
    struct Node: Sendable {
        let label: String
        let className: String
        /// Values by their keys, those of helper objects such as fonts behind the keys that lead there.
        let attributes: [(key: String, text: String)]
        let children: [Node]
    }

    let nodes: [Node]
    let connections: [String]

    /// Makes the outline of a nib.
    public init(_ nib: Nib) {
        let hierarchy = nib.hierarchy
        let listed = Set(hierarchy.objects)
        // Helpers that all objects share would stand in each of them.
        var left = 1_000 + 8 * nib.values.count
        func node(_ object: NibReference) -> Node {
            Node(
                label: nib.label(of: object), className: nib.runtimeClassName(of: object),
                attributes: AttributeCollector.attributes(of: object, in: nib, listed: listed, left: &left),
                children: hierarchy.children(of: object).map(node))
        }
        nodes = hierarchy.topLevel.map(node)
        connections = nib.connections.map(nib.description)
    }

    /// The outline's lines.
    ///
    /// - Parameter withValues: Whether the values of each object follow its line.
    /// - Returns: The lines, each with its line feed.
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

    /// A text on one line, with what a terminal could take as a command escaped.
    static func line(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}

/// Collects an object's values, and those of helper objects that only values lead to.
private struct AttributeCollector {
    let nib: Nib
    let listed: Set<NibReference>
    /// How many values may follow.
    var left: Int
    var attributes: [(key: String, text: String)] = []
    /// A helper that several values lead to stands once.
    var seen: Set<NibReference> = []

    static func attributes(
        of object: NibReference, in nib: Nib, listed: Set<NibReference>, left: inout Int
    ) -> [(key: String, text: String)] {
        var collector = AttributeCollector(nib: nib, listed: listed, left: left)
        collector.seen.insert(object)
        collector.collect(object, path: "", level: 0)
        left = collector.left
        return collector.attributes
    }

    private mutating func collect(_ object: NibReference, path: String, level: Int) {
        var counts: [String: Int] = [:]
        for (key, value) in nib.entries(of: object) where key != "NSInlinedValue" {
            // The elements of arrays have one key; they get numbers.
            let number = counts[key, default: 0]
            counts[key] = number + 1
            let name = key == Nib.emptyKey ? "\(number)" : number == 0 ? key : "\(key).\(number)"
            add(value, path: path.isEmpty ? name : "\(path).\(name)", level: level)
        }
    }

    private mutating func add(_ value: NibValue, path: String, level: Int) {
        left -= 1
        guard case .object(let object) = value else {
            attributes.append((path, value.text ?? ""))
            return
        }
        if let text = nib.text(of: object) {
            attributes.append((path, "\"\(text)\""))
        } else if listed.contains(object) || nib.placeholder(for: object) != nil {
            // The tree and the connections show what it is; a change of its title is no change of this object.
            attributes.append((path, "<\(nib.runtimeClassName(of: object))>"))
        } else if level < 16, left > 0, seen.insert(object).inserted {
            guard !["NSSet", "NSMutableSet"].contains(nib.className(of: object)) else {
                // The order in which the compiler writes a set means nothing.
                let texts = nib.elements(of: object).map { nib.text(of: $0) ?? nib.label(of: $0) }
                left -= texts.count
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
