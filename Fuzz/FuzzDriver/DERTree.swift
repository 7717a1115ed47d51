// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import TrustRecipes

/// A tree of DER elements that is encoded with correct lengths after a change, so that readers reach the changed part.
package struct DERTree {
    private struct Node {
        /// The tag; `nil` for bytes that are not an element.
        var tag: UInt8?
        /// The bytes before the child elements, such as the count of unused bits.
        var prefix: [UInt8] = []
        var body: Body

        var bytes: [UInt8] {
            let content =
                switch body {
                case .bytes(let bytes): bytes
                case .nodes(let nodes): prefix + nodes.flatMap(\.bytes)
                }
            return tag.map { Encoding.element($0, content) } ?? content
        }

        var count: Int {
            guard case .nodes(let nodes) = body else { return 1 }
            return nodes.reduce(1) { $0 + $1.count }
        }
    }

    private indirect enum Body {
        case bytes([UInt8])
        case nodes([Node])
    }

    private static let depth = 24
    private var nodes: [Node]

    package init(_ bytes: [UInt8]) {
        nodes = Self.nodes(bytes[...], depth: 0) ?? [Node(body: .bytes(bytes))]
    }

    package var bytes: [UInt8] { nodes.flatMap(\.bytes) }

    /// Changes the content, tag or position of one element, or removes or repeats it.
    package mutating func mutate(limit: Int, using generator: inout SplitMix64) {
        let all = nodes.reduce(0) { $0 + $1.count }
        guard all > 0 else { return }
        let choice = Int.random(in: 0..<8, using: &generator)
        var other = Int.random(in: 0..<all, using: &generator)
        var donor = Node(body: .bytes([]))
        Self.visit(&other, in: &nodes) { donor = $0[$1] }
        let tagBit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
        var index = Int.random(in: 0..<all, using: &generator)
        Self.visit(&index, in: &nodes) { nodes, index in
            switch choice {
            case 0: nodes.remove(at: index)
            case 1: nodes.insert(donor, at: index)
            case 2: nodes[index] = donor
            case 3: nodes.swapAt(index, (index + 1) % nodes.count)
            case 4: nodes[index].tag = nodes[index].tag.map { $0 ^ tagBit }
            default: Self.changeContent(of: &nodes[index], limit: limit)
            }
        }
    }

    private static func changeContent(of node: inout Node, limit: Int) {
        var bare = node
        bare.tag = nil
        node.body = .bytes(FuzzDriver.mutated(bare.bytes, limit: limit))
    }

    /// Calls the closure for the node with the given number in pre-order.
    @discardableResult
    private static func visit(
        _ index: inout Int, in nodes: inout [Node], _ change: (inout [Node], Int) -> Void
    ) -> Bool {
        for position in nodes.indices {
            if index == 0 {
                change(&nodes, position)
                return true
            }
            index -= 1
            guard case .nodes(var inner) = nodes[position].body else { continue }
            if visit(&index, in: &inner, change) {
                nodes[position].body = .nodes(inner)
                return true
            }
        }
        return false
    }

    /// Returns the elements; `nil` if the bytes are not a sequence of complete elements.
    private static func nodes(_ bytes: ArraySlice<UInt8>, depth: Int) -> [Node]? {
        guard depth < Self.depth else { return nil }
        var (rest, nodes) = (bytes, [Node]())
        while !rest.isEmpty {
            guard let (tag, content, end) = header(rest) else { return nil }
            nodes.append(node(tag, content, depth: depth))
            rest = rest[end...]
        }
        return nodes
    }

    private static func node(_ tag: UInt8, _ content: ArraySlice<UInt8>, depth: Int) -> Node {
        let isBits = tag == 0x03
        // OCTET STRINGs and BIT STRINGs often contain elements.
        if tag & 0x20 != 0 || ((tag == 0x04 || isBits) && content.count > 2),
            let inner = nodes(content.dropFirst(isBits ? 1 : 0), depth: depth + 1)
        {
            return Node(tag: tag, prefix: Array(content.prefix(isBits ? 1 : 0)), body: .nodes(inner))
        }
        return Node(tag: tag, body: .bytes(Array(content)))
    }

    private static func header(_ bytes: ArraySlice<UInt8>) -> (UInt8, ArraySlice<UInt8>, Int)? {
        guard bytes.count >= 2 else { return nil }
        let first = Int(bytes[bytes.startIndex + 1])
        let size = first < 0x80 ? 0 : first & 0x7f
        let start = bytes.startIndex + 2 + size
        guard size <= 4, start <= bytes.endIndex else { return nil }
        let length = first < 0x80 ? first : bytes[(start - size)..<start].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.endIndex - start else { return nil }
        return (bytes[bytes.startIndex], bytes[start..<start + length], start + length)
    }
}
