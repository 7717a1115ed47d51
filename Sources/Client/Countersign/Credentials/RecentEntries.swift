// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A dictionary with a limit: a new entry replaces the oldest one.
///
/// Servers decide how many realms they name and how often, so the storage for them must be bounded.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        /// The serial number of the last write; the smallest belongs to the oldest entry.
        let time: UInt64
    }

    /// The maximum number of entries.
    let limit: Int
    private var entries: [Key: Entry] = [:]
    private var time: UInt64 = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The value for a key.
    ///
    /// Writing a value makes its entry the newest.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else { return entries[key] = nil }
            if entries[key] == nil, entries.count >= limit { removeOldest { _ in true } }
            time += 1
            entries[key] = Entry(value: newValue, time: time)
        }
    }

    /// Changes a value in place, without a copy.
    ///
    /// The age of its entry does not change.
    mutating func change<Result>(_ key: Key, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard let index = entries.index(forKey: key) else { return nil }
        return try body(&entries.values[index].value)
    }

    /// Removes the oldest entries that satisfy a condition, until at most `count` of them are left.
    mutating func keep(_ count: Int, where condition: (Key) -> Bool) {
        var surplus = entries.keys.count(where: condition) - count
        while surplus > 0 {
            removeOldest(where: condition)
            surplus -= 1
        }
    }

    /// Returns an entry that satisfies a condition; `nil` if there is none.
    func first(where condition: (Key, Value) -> Bool) -> (key: Key, value: Value)? {
        for (key, entry) in entries where condition(key, entry.value) { return (key, entry.value) }
        return nil
    }

    /// Calls a closure with each entry, in no particular order.
    func forEach(_ body: (Key, Value) -> Void) {
        for (key, entry) in entries { body(key, entry.value) }
    }

    private mutating func removeOldest(where condition: (Key) -> Bool) {
        let oldest = entries.filter { condition($0.key) }.min { $0.value.time < $1.value.time }
        if let oldest { entries[oldest.key] = nil }
    }
}
