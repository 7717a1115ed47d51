// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations

/// A JSON value as the page shows it: a line, or a list that can be expanded.
///
/// Names, texts and numbers appear as they were sent, in their order: nothing is decoded, rounded, sorted or merged.
struct JSONNode {
    let key: String?
    /// The text of a scalar value.
    let value: String?
    /// The kind of the value: `text`, `number`, `word` or `list`.
    let kind: String
    let isList: Bool
    /// The number of child values, as text.
    private(set) var count: String?
    private(set) var children: [JSONNode] = []

    /// The maximum number of shown values, because a browser opens a long page slowly.
    private static let limit = 2_000
    private static let depthLimit = 60
    /// The maximum depth of values that are parsed.
    private static let readDepthLimit = 512

    private init(key: String? = nil, value: String? = nil, kind: String) {
        (self.key, self.value, self.kind, isList) = (key, value, kind, kind == "list")
    }

    /// - Returns: The root, or `nil` for bytes that are not JSON (RFC 8259), and for values that are nested too deeply.
    init?(_ bytes: [UInt8]) {
        guard let node = try? Self.read(bytes) else { return nil }
        self = node
    }

    /// An object or an array whose end was not reached yet.
    private struct OpenList {
        var node: JSONNode
        let isObject: Bool
        /// Whether the list is shown in its parent.
        let isShown: Bool
        /// The number of values in the list, and the number of those that are not shown.
        var count = 0
        var hidden = 0

        mutating func add(_ child: JSONNode, isShown: Bool) {
            if isShown { node.children.append(child) } else { hidden += 1 }
        }

        /// The list with its count, and a line for the values that are not shown.
        var ended: JSONNode {
            var node = node
            node.count = isObject ? "{\(count)}" : "[\(count)]"
            if hidden > 0 { node.children.append(JSONNode(value: "… \(hidden) more", kind: "word")) }
            return node
        }
    }

    private static func read(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONNode? {
        var scanner = try JSONScanner(bytes)
        var (lists, name, root) = ([OpenList](), "", JSONNode?.none)
        var remaining = limit
        func close(_ node: JSONNode, isShown: Bool) {
            if lists.isEmpty { root = node } else { lists[lists.count - 1].add(node, isShown: isShown) }
        }
        while let token = try scanner.next() {
            if case .name(let range) = token {
                let text = scanner.text(range).printable
                // An empty name would be invisible on the page.
                name = text.isEmpty ? "\"\"" : text
                continue
            }
            if token == .end {
                guard let list = lists.popLast() else { continue }
                close(list.ended, isShown: list.isShown)
                continue
            }
            guard lists.count <= readDepthLimit else { return nil }
            let key = lists.last.map { $0.isObject ? name : String($0.count) }
            let isShown = lists.isEmpty || remaining > 0 && lists.count <= depthLimit
            remaining -= 1
            if !lists.isEmpty { lists[lists.count - 1].count += 1 }
            switch token {
            case .beginObject, .beginArray:
                let node = JSONNode(key: key, kind: "list")
                lists.append(OpenList(node: node, isObject: token == .beginObject, isShown: isShown))
            case .string(let range):
                let value = "\"\(scanner.text(range).printable)\""
                close(JSONNode(key: key, value: value, kind: "text"), isShown: isShown)
            case .number(let range):
                close(JSONNode(key: key, value: scanner.text(range), kind: "number"), isShown: isShown)
            case .literal(let range):
                close(JSONNode(key: key, value: scanner.text(range), kind: "word"), isShown: isShown)
            case .name, .end: break
            }
        }
        return root
    }
}
