// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The members of an object that are elements, which a content model takes one after the other.
struct ElementPool {
    /// A value that was taken: the end of its path, and the position of its member.
    typealias Taken = (name: String, value: JSONValue, path: String, member: Int)

    private struct Entry {
        var name: String
        var values: [JSONValue]
        /// Whether the values stood in an array, so that a path needs their index.
        var isArray: Bool
        var taken = 0
    }

    private var entries: [Entry] = []
    private var places: [String: Int] = [:]
    /// The first member that has a value left; a message can have very many names.
    private var start = 0

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

    /// The next value of an element.
    mutating func take(_ name: XMLName) -> Taken? {
        guard let place = place(of: name), entries[place].taken < entries[place].values.count else { return nil }
        return take(at: place)
    }

    /// The next value of the first member that fits and has a value left.
    mutating func takeOther(where fits: (String) -> Bool) -> Taken? { place(where: fits).map { take(at: $0) } }

    /// Whether there is such a member.
    func hasOther(where fits: (String) -> Bool) -> Bool { place(where: fits) != nil }

    private func place(where fits: (String) -> Bool) -> Int? {
        entries[start...].firstIndex { $0.taken < $0.values.count && fits($0.name) }
    }

    private mutating func take(at place: Int) -> Taken {
        let index = entries[place].taken
        entries[place].taken += 1
        while start < entries.count, entries[start].taken >= entries[start].values.count { start += 1 }
        let name = entries[place].name
        return (name, entries[place].values[index], entries[place].isArray ? "\(name)[\(index)]" : name, place)
    }

    /// The first member of which something is left, or that is an empty array of a name that is not known, and the number of values that
    /// were taken.
    func rest(where isKnown: (String) -> Bool) -> (name: String, taken: Int)? {
        entries.first { $0.taken < $0.values.count || $0.values.isEmpty && !isKnown($0.name) }.map {
            ($0.name, $0.taken)
        }
    }

    private func place(of name: XMLName) -> Int? {
        // With its namespace it is meant, whatever else has the local name.
        if let place = places[name.clark], entries[place].taken < entries[place].values.count { return place }
        return places[name.local]
    }
}
