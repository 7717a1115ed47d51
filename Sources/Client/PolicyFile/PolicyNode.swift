// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of the document, and where it stands.
struct PolicyNode {
    let node: YAMLNode
    let file: String
    let key: PolicyFileKey

    var place: PolicyFilePlace {
        PolicyFilePlace(file: file, line: node.line, column: node.column, key: key)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError { PolicyFileError(place: place, reason: reason) }

    /// Whether it is neither a list nor a mapping.
    var isText: Bool {
        if case .scalar = node.content { true } else { false }
    }

    /// The text of a scalar, in quotation marks or not.
    func text() throws(PolicyFileError) -> String {
        guard case .scalar(let text, _) = node.content else { throw error(.wrongShape(expected: .text)) }
        return text
    }

    func boolean() throws(PolicyFileError) -> Bool {
        guard case .scalar(let text, isPlain: true) = node.content else {
            throw error(.wrongShape(expected: .boolean))
        }
        switch text {
        case "true": return true
        case "false": return false
        default: throw error(.wrongShape(expected: .boolean))
        }
    }

    /// The value that a word stands for.
    func choice<Value>(_ choices: KeyValuePairs<String, Value>) throws(PolicyFileError) -> Value {
        try choice(Array(choices))
    }

    /// The value that a word stands for.
    func choice<Value>(_ choices: [(key: String, value: Value)]) throws(PolicyFileError) -> Value {
        let text = try text()
        guard let choice = choices.first(where: { $0.key == text }) else {
            throw error(.unknownValue(text, allowed: choices.map(\.key)))
        }
        return choice.value
    }

    /// The elements of a list that is not empty.
    func list() throws(PolicyFileError) -> [PolicyNode] {
        guard case .sequence(let sequence) = node.content else { throw error(.wrongShape(expected: .list)) }
        guard !sequence.isEmpty else { throw error(.empty) }
        return sequence.enumerated().map { index, node in
            PolicyNode(node: node, file: file, key: key.appending(.element(index)))
        }
    }

    /// The entries of a mapping; the name of each stands where its key stands.
    func entries() throws(PolicyFileError) -> [Entry] {
        guard case .mapping(let mapping) = node.content else { throw error(.wrongShape(expected: .mapping)) }
        var entries: [Entry] = []
        var seen: Set<String> = []
        for (keyNode, value) in mapping {
            let outer = PolicyNode(node: keyNode, file: file, key: key)
            let text = try outer.text()
            let inner = key.appending(.key(text))
            let name = PolicyNode(node: keyNode, file: file, key: inner)
            guard seen.insert(text).inserted else { throw name.error(.duplicateKey(text)) }
            entries.append(Entry(text: text, name: name, value: PolicyNode(node: value, file: file, key: inner)))
        }
        return entries
    }

    struct Entry {
        let text: String
        let name: PolicyNode
        let value: PolicyNode
    }
}

/// A mapping of which every key is known.
struct PolicyMapping {
    let node: PolicyNode
    private let entries: [String: PolicyNode.Entry]

    /// Refuses what is no mapping, and keys other than these.
    init(_ node: PolicyNode, keys: [String]) throws(PolicyFileError) {
        self.node = node
        var entries: [String: PolicyNode.Entry] = [:]
        for entry in try node.entries() {
            guard keys.contains(entry.text) else {
                throw entry.name.error(.unknownKey(entry.text, nearest: Spelling.nearest(to: entry.text, among: keys)))
            }
            entries[entry.text] = entry
        }
        self.entries = entries
    }

    /// The value of a key; `nil` where it is left out.
    subscript(key: String) -> PolicyNode? { entries[key]?.value }

    func require(_ key: String) throws(PolicyFileError) -> PolicyNode {
        guard let value = self[key] else { throw node.error(.missingKey(key)) }
        return value
    }

    /// Where a key stands, or the mapping itself where it is left out.
    func place(of key: String) -> PolicyFilePlace { (entries[key]?.name ?? node).place }
}
