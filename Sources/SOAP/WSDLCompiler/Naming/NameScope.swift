// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names of one scope, each given once.
struct NameScope {
    /// Never changed, so that many scopes can share it.
    private let reserved: [Set<String>]
    private var taken: Set<String> = []
    private var next: [String: Int] = [:]

    /// A scope in which these names must not be given.
    init(reserved: Set<String>...) { self.reserved = reserved }

    /// The names that were given.
    var names: Set<String> { taken }

    /// Whether a name was given or is reserved.
    func contains(_ name: String) -> Bool { taken.contains(name) || reserved.contains { $0.contains(name) } }

    /// Gives the first of the names that is free, or else the last one with a number.
    mutating func claim(_ name: String, or others: String...) -> String {
        for candidate in [name] + others where !contains(candidate) {
            taken.insert(candidate)
            return candidate
        }
        let base = others.last ?? name
        // After a digit, a number would read as one with it.
        let stem = base.last?.isNumber == true ? base + "No" : base
        var number = next[stem] ?? 2
        while contains("\(stem)\(number)") { number += 1 }
        next[stem] = number + 1
        taken.insert("\(stem)\(number)")
        return "\(stem)\(number)"
    }

    /// Reserves a name for something else.
    mutating func reserve(_ name: String) { taken.insert(name) }
}
