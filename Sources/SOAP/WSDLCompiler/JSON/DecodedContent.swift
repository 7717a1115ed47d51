// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import XMLDocuments

/// The values of the direct child elements of an element, in their order.
struct DecodedContent {
    struct Entry {
        var name: XMLName
        /// The name of the JSON member.
        var key: String
        /// Whether the content model allows the element several times; `nil` for an element that only a
        /// wildcard allows.
        var isRepeated: Bool?
        var value: JSONValue

        /// Whether an array as the member's value represents several elements.
        fileprivate var isInArray: Bool { isRepeated ?? true }

        /// The element as a member of `#content`, in which an array represents several elements.
        var member: JSONValue.Member { JSONValue.Member(key, single) }

        fileprivate var single: JSONValue {
            if isInArray, case .array = value { .array([value]) } else { value }
        }
    }

    var entries: [Entry] = []

    /// Returns the members of the object: one for each name if these determine the order of the elements, otherwise
    /// only `#content`.
    ///
    /// A repeatable sequence of several elements always becomes `#content`, so that its form depends only
    /// on the schema.
    func members(
        in schema: SchemaSet, _ model: Particle, isEncoded: Bool, isLenient: Bool
    ) -> [JSONValue.Member] {
        let groups = RepeatedGroups(of: model, schema)
        let members = byName
        let isGrouped = entries.contains { groups.places[$0.name] != nil }
        let keepsOrder =
            isLenient && isGroupedByName || groups.isOrderKnown || keepsOrder(members, model, schema, isEncoded)
        if !isGrouped, keepsOrder { return members }
        return [JSONValue.Member("#content", .array(inOrder(groups).map(JSONValue.object)))]
    }

    /// One member for each name, in the order of their first occurrence.
    private var byName: [JSONValue.Member] {
        var values: [(entry: Entry, values: [JSONValue])] = []
        var places: [String: Int] = [:]
        for entry in entries {
            if let place = places[entry.key] {
                values[place].values.append(entry.value)
            } else {
                places[entry.key] = values.count
                values.append((entry, [entry.value]))
            }
        }
        return values.map { entry, values in
            JSONValue.Member(entry.key, entry.isRepeated == true || values.count > 1 ? .array(values) : entry.single)
        }
    }

    /// Returns whether encoding the members would restore the order of the elements.
    private func keepsOrder(
        _ members: [JSONValue.Member], _ model: Particle, _ schema: SchemaSet, _ isEncoded: Bool
    ) -> Bool {
        guard let parts = try? Arrangement.parts(of: members, in: model, schema, isEncoded: isEncoded, at: "$") else {
            return false
        }
        let names = parts.compactMap { if case .element(let item) = $0 { item.name } else { nil } }
        return names == entries.map(\.name)
    }

    /// Whether all elements of each name are consecutive.
    private var isGroupedByName: Bool {
        var seen: Set<String> = []
        return zip(entries, [nil] + entries.map(\.key)).allSatisfy { $0.key == $1 || seen.insert($0.key).inserted }
    }

    /// Returns objects with the elements in their order: one object for each occurrence of a group, and one for each
    /// other element.
    private func inOrder(_ groups: RepeatedGroups) -> [[JSONValue.Member]] {
        var objects: [[JSONValue.Member]] = []
        var last: RepeatedGroups.Place?
        for entry in entries {
            let place = groups.places[entry.name]
            if let place, let last, place.group == last.group, place.position > last.position {
                objects[objects.count - 1].append(entry.member)
            } else {
                objects.append([entry.member])
            }
            last = place
        }
        return objects
    }
}

/// The repeated sequences of several elements in a content model.
private struct RepeatedGroups {
    struct Place {
        var group: Int
        /// The position of the element in the group.
        var position: Int
    }

    /// The places of the elements in these sequences.
    private(set) var places: [XMLName: Place] = [:]
    /// Whether element names alone determine the order: no group is repeated, and no element occurs at two places.
    ///
    /// The order in an `xs:all` group is not significant.
    private(set) var isOrderKnown = true
    private let schema: SchemaSet
    private var groups = 0
    private var names: Set<XMLName> = []

    init(of model: Particle, _ schema: SchemaSet) {
        self.schema = schema
        add(model, isRepeated: false, group: nil)
    }

    private mutating func add(_ particle: Particle, isRepeated: Bool, group: Int?) {
        let repeatsItself = particle.maximum != 1
        let isRepeated = isRepeated || repeatsItself
        switch particle.term {
        case .element(let declaration):
            let isHead = declaration.isReference && schema.substitutions[declaration.name] != nil
            if !names.insert(declaration.name).inserted || isHead { isOrderKnown = false }
            guard let group else { return }
            let place = Place(group: group, position: places.count)
            for name in [declaration.name]
                + (declaration.isReference ? schema.substitutions[declaration.name] ?? [] : [])
            where places[name] == nil {
                places[name] = place
            }
        case .sequence(let parts), .all(let parts):
            if repeatsItself { isOrderKnown = false }
            var inner = repeatsItself ? nil : group
            if isRepeated, parts.count > 1 {
                groups += 1
                inner = groups
            }
            for part in parts { add(part, isRepeated: isRepeated, group: inner) }
        case .choice(let parts):
            if repeatsItself { isOrderKnown = false }
            for part in parts { add(part, isRepeated: isRepeated, group: repeatsItself ? nil : group) }
        case .any: isOrderKnown = false
        }
    }
}
