// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Counts the reports of each item, because Avahi reports an item once for each IP version of an interface.
struct SightingCounts<Item: Hashable> {
    private var counts: [Item: Int] = [:]

    /// - Returns: Whether this is the first report of the item.
    mutating func add(_ item: Item) -> Bool {
        counts[item, default: 0] += 1
        return counts[item] == 1
    }

    /// - Returns: Whether no report of the item remains.
    mutating func remove(_ item: Item) -> Bool {
        guard let count = counts[item] else { return false }
        counts[item] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// - Returns: The items that were present.
    mutating func removeAll() -> [Item] {
        defer { counts = [:] }
        return Array(counts.keys)
    }
}
