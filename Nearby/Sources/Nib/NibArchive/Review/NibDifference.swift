// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The differences between two interfaces, independent of object numbers.
public struct NibDifference: Sendable {
    /// One line for each difference: `+` for an addition, `-` for a removal, `~` for a changed value or order; empty if
    /// the interfaces are equal.
    public private(set) var lines: [String] = []

    /// Compares two interfaces.
    ///
    /// - Parameters:
    ///   - old: The old interface.
    ///   - new: The new interface.
    public init(from old: NibOutline, to new: NibOutline) {
        compare(old.nodes, new.nodes, path: "")
        compareConnections(old.connections, new.connections)
    }

    private mutating func compare(_ old: [NibOutline.Node], _ new: [NibOutline.Node], path: String) {
        let pairs = Self.pairs(old, new)
        let matched = Set(pairs.map(\.new))
        let places = Dictionary(pairs.map { ($0.old, $0.new) }) { first, _ in first }
        for (index, node) in old.enumerated() {
            let place = path.isEmpty ? node.label : "\(path) > \(node.label)"
            guard let match = places[index] else {
                lines.append("- \(NibOutline.line(place))")
                continue
            }
            compare(node, new[match], path: place)
        }
        for (index, node) in new.enumerated() where !matched.contains(index) {
            lines.append("+ \(NibOutline.line(path.isEmpty ? node.label : "\(path) > \(node.label)"))")
        }
        let order = pairs.sorted { $0.old < $1.old }.map(\.new)
        if order != order.sorted() {
            lines.append("~ \(path.isEmpty ? "The top level" : NibOutline.line(path)): the order of the parts")
        }
    }

    private mutating func compare(_ old: NibOutline.Node, _ new: NibOutline.Node, path: String) {
        let before = Dictionary(old.attributes.map { ($0.key, $0.text) }) { first, _ in first }
        let after = Dictionary(new.attributes.map { ($0.key, $0.text) }) { first, _ in first }
        for (key, text) in old.attributes where after[key] != text {
            lines.append(NibOutline.line("~ \(path): \(key) \(text) -> \(after[key] ?? "nothing")"))
        }
        for (key, text) in new.attributes where before[key] == nil {
            lines.append(NibOutline.line("~ \(path): \(key) nothing -> \(text)"))
        }
        compare(old.children, new.children, path: path)
    }

    /// Matches objects: first by class and title, then by class, each in order.
    private static func pairs(_ old: [NibOutline.Node], _ new: [NibOutline.Node]) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        var (oldLeft, newLeft) = (Array(old.indices), Array(new.indices))
        for name in [\NibOutline.Node.label, \NibOutline.Node.className] {
            var places = Dictionary(grouping: newLeft) { new[$0][keyPath: name] }.mapValues { $0[...] }
            for index in oldLeft {
                guard let place = places[old[index][keyPath: name]]?.popFirst() else { continue }
                pairs.append((index, place))
            }
            let taken = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
            oldLeft.removeAll { taken.0.contains($0) }
            newLeft.removeAll { taken.1.contains($0) }
        }
        return pairs
    }

    private mutating func compareConnections(_ old: [String], _ new: [String]) {
        var counts = Dictionary(old.map { ($0, 1) }, uniquingKeysWith: +)
        let added = new.filter { connection in
            guard let count = counts[connection], count > 0 else { return true }
            counts[connection] = count - 1
            return false
        }
        for connection in old {
            guard let count = counts[connection], count > 0 else { continue }
            counts[connection] = count - 1
            lines.append(NibOutline.line("- \(connection)"))
        }
        lines += added.map { NibOutline.line("+ \($0)") }
    }
}
