// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of the document with its location.
struct PolicyNode {
    let node: YAMLNode
    let file: String
    let key: PolicyFileKey

    var place: PolicyFileLocation {
        PolicyFileLocation(file: file, line: node.line, column: node.column, key: key)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError { PolicyFileError(place: place, reason: reason) }

    /// Whether the value is a scalar.
    var isText: Bool {
        if case .scalar = node.content { true } else { false }
    }

    /// Returns the text of a scalar, with or without quotation marks.
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

    /// Returns the value that the text denotes.
    func choice<Value>(_ choices: KeyValuePairs<String, Value>) throws(PolicyFileError) -> Value {
        try choice(Array(choices))
    }

    /// Returns the value that the text denotes.
    func choice<Value>(_ choices: [(key: String, value: Value)]) throws(PolicyFileError) -> Value {
        let text = try text()
        guard let choice = choices.first(where: { $0.key == text }) else {
            throw error(.unknownValue(text, allowed: choices.map(\.key)))
        }
        return choice.value
    }

    /// Returns the elements of a list, which must not be empty.
    func list() throws(PolicyFileError) -> [PolicyNode] {
        guard case .sequence(let sequence) = node.content else { throw error(.wrongShape(expected: .list)) }
        guard !sequence.isEmpty else { throw error(.empty) }
        return sequence.enumerated().map { index, node in
            PolicyNode(node: node, file: file, key: key.appending(.element(index)))
        }
    }

    /// Returns the entries of a mapping, each with the location of its key.
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

/// A mapping whose keys are all known.
struct PolicyMapping {
    let node: PolicyNode
    private let entries: [String: PolicyNode.Entry]

    /// Reads a mapping; throws if the value is not a mapping or has other keys.
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

    /// The value of a key; `nil` if the key is absent.
    subscript(key: String) -> PolicyNode? { entries[key]?.value }

    func require(_ key: String) throws(PolicyFileError) -> PolicyNode {
        guard let value = self[key] else { throw node.error(.missingKey(key)) }
        return value
    }

    /// Returns the location of a key, or of the mapping if the key is absent.
    func place(of key: String) -> PolicyFileLocation { (entries[key]?.name ?? node).place }
}
