// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The members of an object that are elements, which a content model takes one after the other.
struct ElementPool {
    private struct Entry {
        var name: String
        var values: [JSONValue]
        /// Whether the values stood in an array, so that a path needs their index.
        var isArray: Bool
        var taken = 0
    }

    private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// Takes members; `isArray` says of a member's name whether its array stands for several elements.
    init(_ members: [JSONValue.Member], isArray: (String) -> Bool) {
        for member in members where !member.name.hasPrefix("@") && member.name != "#text" {
            places[member.name] = entries.count
            if case .array(let items) = member.value, isArray(member.name) {
                entries.append(Entry(name: member.name, values: items, isArray: true))
            } else {
                entries.append(Entry(name: member.name, values: [member.value], isArray: false))
            }
        }
    }

    /// How many values of an element are left.
    func count(_ name: XMLName) -> Int { place(of: name).map { entries[$0].values.count - entries[$0].taken } ?? 0 }

    /// The next value of an element, and the end of its path.
    mutating func take(_ name: XMLName) -> (value: JSONValue, path: String)? {
        guard let place = place(of: name), entries[place].taken < entries[place].values.count else { return nil }
        return take(at: place)
    }

    /// The next value that is left of all whose names are not among the declared ones.
    mutating func takeOther(
        than isDeclared: (String) -> Bool
    ) -> (name: String, value: JSONValue, path: String)? {
        for (place, entry) in entries.enumerated() where entry.taken < entry.values.count && !isDeclared(entry.name) {
            let (value, path) = take(at: place)
            return (entry.name, value, path)
        }
        return nil
    }

    private mutating func take(at place: Int) -> (value: JSONValue, path: String) {
        let index = entries[place].taken
        entries[place].taken += 1
        let name = entries[place].name
        return (entries[place].values[index], entries[place].isArray ? "\(name)[\(index)]" : name)
    }

    /// The first member of which something is left, and whether something of it was taken.
    var rest: (name: String, taken: Int)? {
        entries.first { $0.taken < $0.values.count }.map { ($0.name, $0.taken) }
    }

    private func place(of name: XMLName) -> Int? {
        // With its namespace it is meant, whatever else has the local name.
        if let place = places[name.clark], entries[place].taken < entries[place].values.count { return place }
        return places[name.local]
    }
}
