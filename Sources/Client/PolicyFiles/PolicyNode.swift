// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// A value of the document with its location.
struct PolicyNode {
    let node: YAMLNode
    let file: String
    let key: PolicyFileKey
    /// The errors of the file.
    let problems: PolicyProblems

    var place: PolicyFileLocation {
        PolicyFileLocation(file: file, line: node.line, column: node.column, key: key)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError { PolicyFileError(place: place, reason: reason) }

    /// Runs a reader, and records its error, so that the parts of the file after it are read too.
    ///
    /// - Returns: The reader's result, or `nil` if it threw.
    @discardableResult
    func attempt<Value>(_ read: () throws(PolicyFileError) -> Value) -> Value? {
        do throws(PolicyFileError) {
            return try read()
        } catch {
            problems.record(error)
            return nil
        }
    }

    private func part(_ node: YAMLNode, _ key: PolicyFileKey) -> PolicyNode {
        PolicyNode(node: node, file: file, key: key, problems: problems)
    }

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
            part(node, key.appending(.element(index)))
        }
    }

    /// Whether the value is a mapping with a key that is not text.
    fileprivate var hasUnreadableKey: Bool {
        guard case .mapping(let mapping) = node.content else { return false }
        return mapping.contains { if case .scalar = $0.key.content { false } else { true } }
    }

    /// Returns the entries of a mapping, each with the location of its key.
    ///
    /// The entries of merged mappings come last, without the keys that the mapping has itself.
    func entries() throws(PolicyFileError) -> [Entry] {
        guard case .mapping(let mapping) = node.content else { throw error(.wrongShape(expected: .mapping)) }
        var entries: [Entry] = []
        var merged: [Entry] = []
        var seen: Set<String> = []
        for (keyNode, value) in mapping {
            let outer = part(keyNode, key)
            guard let text = outer.attempt({ () throws(PolicyFileError) in try outer.text() }) else { continue }
            let inner = key.appending(.key(text))
            let entry = Entry(text: text, name: part(keyNode, inner), value: part(value, inner))
            if !seen.insert(text).inserted {
                problems.record(entry.name.error(.duplicateKey(text)))
            } else if keyNode.isMergeKey {
                entry.value.attempt { () throws(PolicyFileError) in merged = try mergedEntries(entry.value) }
            } else {
                entries.append(entry)
            }
        }
        return entries + merged.filter { seen.insert($0.text).inserted }
    }

    /// Returns the entries of the value of the key `<<`, a mapping or a list of mappings in which the first has precedence
    /// (https://yaml.org/type/merge.html).
    private func mergedEntries(_ value: PolicyNode) throws(PolicyFileError) -> [Entry] {
        guard case .sequence(let parts) = value.node.content else { return try part(value.node, key).entries() }
        var entries: [Entry] = []
        for mapping in parts { entries += try part(mapping, key).entries() }
        return entries
    }

    struct Entry {
        let text: String
        let name: PolicyNode
        let value: PolicyNode
    }
}

extension YAMLNode {
    /// Whether the node is the key that merges another mapping into its own.
    fileprivate var isMergeKey: Bool {
        if case .scalar("<<", isPlain: true) = content { true } else { false }
    }
}

/// The errors of a file, in the order in which they were found.
final class PolicyProblems {
    /// The maximum number of reported errors.
    static let limit = 100

    private var errors: [PolicyFileError] = []

    func record(_ error: PolicyFileError) {
        guard errors.count < Self.limit else { return }
        // The value of an anchor is read once for each of its aliases.
        let isKnown = errors.contains {
            ($0.place.line, $0.place.column) == (error.place.line, error.place.column)
                && $0.explanationWithoutLocation.message == error.explanationWithoutLocation.message
        }
        if !isKnown { errors.append(error) }
    }

    /// Runs the reader of a file.
    ///
    /// - Throws: The first recorded error, with the others, in the order of the file.
    func check<Value>(_ read: () throws(PolicyFileError) -> Value) throws(PolicyFileError) -> Value {
        do throws(PolicyFileError) {
            let value = try read()
            if errors.isEmpty { return value }
        } catch {
            record(error)
        }
        errors.sort { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
        throw PolicyFileError(place: errors[0].place, reason: errors[0].reason, others: Array(errors.dropFirst()))
    }
}

/// The known keys of a mapping.
struct PolicyMapping {
    let node: PolicyNode
    private let entries: [String: PolicyNode.Entry]
    /// The known keys of which an unknown one is probably a misspelling.
    private let misspelledKeys: Set<String>

    /// Reads a mapping, and records an error for each unknown key.
    ///
    /// - Throws: ``PolicyFileError`` if the value is not a mapping.
    init(_ node: PolicyNode, keys: [String]) throws(PolicyFileError) {
        self.node = node
        var entries: [String: PolicyNode.Entry] = [:]
        var misspelledKeys: Set<String> = []
        for entry in try node.entries() {
            guard keys.contains(entry.text) else {
                let nearest = Spelling.nearest(to: entry.text, among: keys)
                if let nearest { misspelledKeys.insert(nearest) }
                node.problems.record(entry.name.error(.unknownKey(entry.text, nearest: nearest, allowed: keys)))
                continue
            }
            entries[entry.text] = entry
        }
        (self.entries, self.misspelledKeys) = (entries, misspelledKeys)
    }

    /// The value of a key; `nil` if the key is absent.
    subscript(key: String) -> PolicyNode? { entries[key]?.value }

    /// Runs a reader of the value of a key, if the key is present, and records its error.
    func read(_ key: String, _ read: (PolicyNode) throws(PolicyFileError) -> Void) {
        guard let node = self[key] else { return }
        node.attempt { () throws(PolicyFileError) in try read(node) }
    }

    /// Returns the value of a required key; records an error if the key is absent and not just misspelled.
    func require(_ key: String) -> PolicyNode? {
        if let value = self[key] { return value }
        if !misspelledKeys.contains(key), !node.hasUnreadableKey { node.problems.record(node.error(.missingKey(key))) }
        return nil
    }

    /// Returns the location of a key, or of the mapping if the key is absent.
    func place(of key: String) -> PolicyFileLocation { (entries[key]?.name ?? node).place }
}
