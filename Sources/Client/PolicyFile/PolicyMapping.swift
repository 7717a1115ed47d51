// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
