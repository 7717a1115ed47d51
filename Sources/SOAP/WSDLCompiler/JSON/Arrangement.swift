// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import XMLDocuments
internal import XMLValues

/// Arranges the elements that an object's members represent, in the order of the content model.
///
/// If the model repeats a group, the members do not show which values belong together, unless only one order is
/// possible. The member `#content` therefore contains an array of the elements in their order.
struct Arrangement {
    /// An element that a member represents.
    struct Item {
        var name: XMLName
        /// The declaration; `nil` for an element that only a wildcard allows.
        var declaration: ElementDeclaration?
        var value: JSONValue
        var path: String
        /// The position of the member in the object.
        fileprivate var member: Int
    }

    /// A part of the content: an element, or a text in mixed content.
    enum Part {
        case element(Item)
        case text(JSONValue, path: String)
    }

    private let schema: SchemaSet
    private let model: Particle
    private let isEncoded: Bool
    private let path: String
    private let declared: DeclaredElements
    private var pool: ElementPool

    /// Returns the parts of an object's content in an order that the content model allows.
    ///
    /// Members that represent attributes are left out.
    static func parts(
        of members: [JSONValue.Member], in model: Particle, _ schema: SchemaSet, isEncoded: Bool, at path: String
    ) throws(WSDLCompilerError) -> [Part] {
        var arrangement = Arrangement(schema: schema, model: model, isEncoded: isEncoded, members: members, path: path)
        let content = members.first { $0.name == "#content" }
        let parts =
            if let content { try arrangement.parts(in: content.value, besides: members) } else {
                try arrangement.elements().map(Part.element)
            }
        let names = parts.compactMap { if case .element(let item) = $0 { item.name } else { nil } }
        guard let problem = ContentMatcher.problem(of: names, in: model, schema) else { return parts }
        switch problem.error {
        case .missingElement(let name, nil, _): throw .value(path: path, .missing(name: name.local))
        default: throw .value(path: path, .invalid(problem.error))
        }
    }

    private init(
        schema: SchemaSet, model: Particle, isEncoded: Bool, members: [JSONValue.Member], path: String
    ) {
        (self.schema, self.model, self.isEncoded, self.path) = (schema, model, isEncoded, path)
        declared = DeclaredElements(model, in: schema)
        // If an element occurs at most once, an array is its single value, as for SOAP arrays and lists.
        pool = ElementPool(members) { [declared] in declared[member: $0]?.isRepeated ?? true }
    }

    // MARK: Order of the array

    private func parts(
        in content: JSONValue, besides members: [JSONValue.Member]
    ) throws(WSDLCompilerError) -> [Part] {
        for member in members where !member.name.hasPrefix("@") && member.name != "#content" {
            throw .value(path: path, .unknown(name: member.name, nearest: "#content"))
        }
        let path = "\(path).#content"
        guard case .array(let entries) = content else { throw .value(path: path, .wrongKind(expected: "an array")) }
        var parts: [Part] = []
        for (index, entry) in entries.enumerated() {
            guard case .object(let members) = entry else {
                parts.append(.text(entry, path: "\(path)[\(index)]"))
                continue
            }
            for (place, member) in members.enumerated() {
                let path = "\(path)[\(index)].\(member.name)"
                let known = declared[member: member.name]
                let isArray = known?.isRepeated ?? true
                guard case .array(let values) = member.value, isArray else {
                    parts.append(.element(item(member.name, known, member.value, path, place)))
                    continue
                }
                for (index, value) in values.enumerated() {
                    parts.append(.element(item(member.name, known, value, "\(path)[\(index)]", place)))
                }
            }
        }
        return parts
    }

    private func item(
        _ key: String, _ known: DeclaredElements.Entry?, _ value: JSONValue, _ path: String, _ member: Int
    ) -> Item {
        let name = known?.declaration.name ?? XMLName(clark: key)
        return Item(name: name, declaration: known?.declaration, value: value, path: path, member: member)
    }

    // MARK: Order of the model

    /// Returns all elements; throws if a member is left over.
    private mutating func elements() throws(WSDLCompilerError) -> [Item] {
        let found = try elements(of: model)
        let rest = pool.rest { [declared, model] name in
            declared[member: name] != nil
                || model.hasWildcard(for: XMLName(clark: name).namespace) && !name.hasPrefix("#")
        }
        guard let rest else { return found }
        if rest.taken > 0 { throw .value(path: path, .tooMany(name: rest.name, limit: rest.taken)) }
        let names = declared.entries.map(\.declaration.name)
        let isKnown = declared[member: rest.name] != nil
        let nearest = isKnown ? nil : NearestName.of(XMLName(clark: rest.name), in: names)?.local
        throw .value(path: path, .unknown(name: rest.name, nearest: nearest))
    }

    private mutating func elements(of particle: Particle) throws(WSDLCompilerError) -> [Item] {
        if case .element(let declaration) = particle.term { return try elements(declaration, particle) }
        if case .any(let wildcard) = particle.term { return others(wildcard, particle) }
        var found: [Item] = []
        var count = 0
        while count < particle.maximum ?? Int.max {
            let hasMore = available(particle.term) > 0
            guard hasMore || count < particle.minimum else { break }
            // A required group may have empty content.
            if !hasMore, isEmptiable(particle.term) { break }
            let before = found.count
            found += try once(particle.term)
            if found.count == before { break }
            count += 1
        }
        return count > 1 ? try uniquelyOrdered(found, in: particle.term, occurring: count) : found
    }

    private mutating func once(_ term: Particle.Term) throws(WSDLCompilerError) -> [Item] {
        switch term {
        case .sequence(let particles), .all(let particles):
            var found: [Item] = []
            for particle in particles { found += try elements(of: particle) }
            return found
        case .choice(let branches):
            // The branch with the most available values, or the first of several such branches.
            var best: (count: Int, branch: Particle)?
            for branch in branches {
                let count = available(branch.term)
                if count > best?.count ?? 0 { best = (count, branch) }
            }
            guard let best else {
                let names = branches.flatMap { DeclaredElements($0, in: schema).entries.map(\.key) }
                throw .value(path: path, .noChoice(names: names))
            }
            return try elements(of: best.branch)
        case .element, .any: return []
        }
    }

    private mutating func elements(
        _ declaration: ElementDeclaration, _ particle: Particle
    ) throws(WSDLCompilerError) -> [Item] {
        var found: [Item] = []
        for declaration in alternatives(declaration) {
            while found.count < particle.maximum ?? Int.max, let taken = pool.take(declaration.name) {
                // Null for an optional element that is not nillable means that the element is absent.
                let isAbsent = particle.minimum == 0 && particle.maximum == 1 && !declaration.isNillable
                if taken.value == .null, isAbsent, !isEncoded { continue }
                found.append(
                    Item(
                        name: declaration.name, declaration: declaration, value: taken.value,
                        path: "\(path).\(taken.path)", member: taken.member))
            }
        }
        guard found.count < particle.minimum else {
            return try uniquelyOrdered(found, in: particle.term, occurring: found.count)
        }
        guard found.isEmpty, let fixed = declaration.fixedValue, !declaration.isAbstract else {
            throw .value(path: path, .missing(name: declaration.name.local))
        }
        return [
            Item(
                name: declaration.name, declaration: declaration, value: .string(fixed),
                path: "\(path).\(declaration.name.local)", member: 0)
        ]
    }

    /// Returns the element itself and the members of its substitution group.
    private func alternatives(_ declaration: ElementDeclaration) -> [ElementDeclaration] {
        let own = declaration.isAbstract ? [] : [declaration]
        guard declaration.isReference else { return own }
        let members = schema.substitutions[declaration.name] ?? []
        return own + members.compactMap { schema.reference(to: $0) }.filter { !$0.isAbstract }
    }

    private mutating func others(_ wildcard: Wildcard, _ particle: Particle) -> [Item] {
        var found: [Item] = []
        while found.count < particle.maximum ?? Int.max, let taken = pool.takeOther(where: isOther(wildcard)) {
            found.append(
                Item(
                    name: XMLName(clark: taken.name), declaration: nil, value: taken.value,
                    path: "\(path).\(taken.path)", member: taken.member))
        }
        return found
    }

    /// Returns a predicate for members without a declaration that a wildcard allows.
    private func isOther(_ wildcard: Wildcard) -> (String) -> Bool {
        { [declared] in declared[member: $0] == nil && wildcard.allows(XMLName(clark: $0).namespace) }
    }

    /// Returns the number of element names in a part of the model for which the pool has values left.
    private func available(_ term: Particle.Term) -> Int {
        switch term {
        case .element(let declaration):
            alternatives(declaration).contains { pool.count($0.name) > 0 } ? 1 : 0
        case .sequence(let inner), .choice(let inner), .all(let inner):
            inner.reduce(0) { $0 + available($1.term) }
        case .any(let wildcard): pool.hasOther(where: isOther(wildcard)) ? 1 : 0
        }
    }

    private func isEmptiable(_ term: Particle.Term) -> Bool { Particle(term: term).isEmptiable }

    // MARK: Repeated groups

    /// Returns the elements of a repeated part of the model; throws if the model allows another order of the elements.
    ///
    /// If each element occurs only once, the elements keep the order of the members.
    private func uniquelyOrdered(
        _ items: [Item], in term: Particle.Term, occurring times: Int
    ) throws(WSDLCompilerError) -> [Item] {
        var counts: [XMLName: Int] = [:]
        for item in items where item.declaration != nil { counts[item.name, default: 0] += 1 }
        guard counts.count > 1 else { return items }
        if items.count == counts.count { return items.sorted { $0.member < $1.member } }
        let hasOthers = items.contains { $0.declaration == nil }
        guard !hasOthers, determinesOccurrences(term), isUnambiguous(term, counts, times) else {
            let names = Set(items.map(\.member)).sorted().compactMap { member in
                items.first { $0.member == member }?.name.local
            }
            throw .value(path: path, .ambiguousOrder(names: names))
        }
        return items
    }

    /// Returns whether the number of an element's values determines the number of occurrences of the enclosing group.
    private func determinesOccurrences(_ term: Particle.Term) -> Bool {
        switch term {
        case .element(let declaration): alternatives(declaration).count == 1
        case .sequence(let parts), .all(let parts):
            parts.contains { $0.minimum > 0 && $0.minimum == $0.maximum && determinesOccurrences($0.term) }
        case .choice, .any: false
        }
    }

    /// Returns whether each element of a group that occurs `times` times has the maximum number of values.
    private func isUnambiguous(_ term: Particle.Term, _ counts: [XMLName: Int], _ times: Int) -> Bool {
        func isUsed(_ part: Particle) -> Bool {
            DeclaredElements(part, in: schema).entries.contains { counts[$0.declaration.name] != nil }
        }
        switch term {
        case .element: return true
        case .any: return false
        case .sequence(let parts), .all(let parts), .choice(let parts):
            let used = parts.filter(isUsed)
            if case .choice = term, used.count > 1 { return false }
            return used.allSatisfy { part in
                guard let limit = part.maximum else { return false }
                guard case .element(let declaration) = part.term else {
                    return limit == 1 && isUnambiguous(part.term, counts, times)
                }
                let values = alternatives(declaration).compactMap { counts[$0.name] }
                return values.count == 1 && values[0] == limit * times
            }
        }
    }
}

/// The element members of an object, from which values are taken in the order of the content model.
private struct ElementPool {
    /// A value that was taken: the last component of its path, and the position of its member.
    typealias Taken = (name: String, value: JSONValue, path: String, member: Int)

    private struct Entry {
        var name: String
        var values: [JSONValue]
        /// Whether the values were in an array, so that a path needs their index.
        var isArray: Bool
        var taken = 0
    }

    private var entries: [Entry] = []
    private var places: [String: Int] = [:]
    /// The first member that has a value left; searches start here, because a message can have very many names.
    private var start = 0

    /// Creates a pool of members; `isArray` returns whether the array of a named member represents several elements.
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

    /// Returns the number of an element's values that are left.
    func count(_ name: XMLName) -> Int { place(of: name).map { entries[$0].values.count - entries[$0].taken } ?? 0 }

    /// Takes the next value of an element.
    mutating func take(_ name: XMLName) -> Taken? {
        guard let place = place(of: name), entries[place].taken < entries[place].values.count else { return nil }
        return take(at: place)
    }

    /// Takes the next value of the first member whose name matches and that has a value left.
    mutating func takeOther(where fits: (String) -> Bool) -> Taken? { place(where: fits).map { take(at: $0) } }

    /// Returns whether there is a member whose name matches and that has a value left.
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

    /// Returns the first member that has values left, or that is an empty array with an unknown name, and the number of
    /// values that were taken from it.
    func rest(where isKnown: (String) -> Bool) -> (name: String, taken: Int)? {
        entries.first { $0.taken < $0.values.count || $0.values.isEmpty && !isKnown($0.name) }.map {
            ($0.name, $0.taken)
        }
    }

    private func place(of name: XMLName) -> Int? {
        // A qualified member name takes precedence over a local one.
        if let place = places[name.clark], entries[place].taken < entries[place].values.count { return place }
        return places[name.local]
    }
}
