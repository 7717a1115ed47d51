// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// Matches the names of elements against a content model (XML Schema Part 1 section 3.9.4, Element Sequence Valid).
///
/// Encoding and decoding both use this matcher. It follows all paths through the model at once: for each part of the
/// model, it determines the set of possible numbers of consumed elements. After a part's minimum, each number is
/// visited only once, so the time is proportional to the product of the numbers of elements and parts.
struct ContentMatcher {
    private let schema: SchemaSet
    private let names: [XMLName]
    /// The number of elements that the longest match consumes, and the required elements expected next.
    private var best = (count: 0, expected: [XMLName]())

    /// Returns the first problem of a sequence of elements.
    ///
    /// - Parameters:
    ///   - names: The names of the elements, in their order.
    ///   - model: The content model.
    ///   - schema: The schema, for substitution groups.
    /// - Returns: The problem, and the number of elements before it; `nil` if the model allows the sequence.
    static func problem(
        of names: [XMLName], in model: Particle, _ schema: SchemaSet
    ) -> (error: XMLValueError, count: Int)? {
        var matcher = ContentMatcher(schema: schema, names: names)
        let ends = matcher.ends(of: model, from: [0])
        guard ends.last != names.count else { return nil }
        let (count, expected) = matcher.best
        let found = count < names.count ? names[count] : nil
        // If the model could end here, the next element is the problem; otherwise the missing one is.
        if let found, expected.isEmpty || ends.last == count { return (.unexpectedElement(found), count) }
        guard expected.count != 1 else { return (.missingElement(expected[0], found: found), count) }
        return (.noChoice(group: expected.map(\.local).joined(separator: ", "), found: found), count)
    }

    private init(schema: SchemaSet, names: [XMLName]) { (self.schema, self.names) = (schema, names) }

    /// Returns the possible numbers of consumed elements after a particle, in ascending order.
    private mutating func ends(of particle: Particle, from starts: [Int]) -> [Int] {
        var reached: Set<Int> = particle.minimum == 0 ? Set(starts) : []
        var level = starts
        var count = 0
        while !level.isEmpty, count < particle.maximum ?? .max {
            let next = once(particle.term, from: level, isRequired: count < particle.minimum)
            count += 1
            if count < particle.minimum {
                // Empty content satisfies any number of required occurrences.
                if next == level { count = particle.minimum }
                level = next
            }
            if count >= particle.minimum { level = next.filter { reached.insert($0).inserted } }
        }
        let ends = reached.sorted()
        if let last = ends.last, last > best.count { best = (last, []) }
        return ends
    }

    private mutating func once(_ term: Particle.Term, from starts: [Int], isRequired: Bool) -> [Int] {
        switch term {
        case .element(let declaration):
            return starts.compactMap { takes(declaration, at: $0, isRequired: isRequired) ? $0 + 1 : nil }
        case .any(let wildcard):
            return starts.compactMap { start in
                guard start < names.count, wildcard.allows(names[start].namespace) else {
                    if isRequired { expect(XMLName("any"), at: start) }
                    return nil
                }
                return start + 1
            }
        case .sequence(let parts):
            var places = starts
            for part in parts where !places.isEmpty { places = ends(of: part, from: places) }
            return places
        case .choice(let parts):
            guard !parts.isEmpty else { return starts }
            var places: Set<Int> = []
            for part in parts { places.formUnion(ends(of: part, from: starts)) }
            return places.sorted()
        case .all(let parts):
            return Set(starts.compactMap { end(ofAll: parts, from: $0) }).sorted()
        }
    }

    /// Returns the number of consumed elements after an `xs:all` group; `nil` if a required element is missing.
    private mutating func end(ofAll parts: [Particle], from start: Int) -> Int? {
        var (place, counts) = (start, [Int](repeating: 0, count: parts.count))
        while place < names.count {
            let next = parts.indices.first { index in
                guard case .element(let declaration) = parts[index].term else { return false }
                return counts[index] < parts[index].maximum ?? .max && schema.allows(names[place], for: declaration)
            }
            guard let next else { break }
            counts[next] += 1
            place += 1
        }
        for (part, count) in zip(parts, counts) where count < part.minimum {
            if case .element(let declaration) = part.term { expect(declaration.name, at: place) }
        }
        return zip(parts, counts).allSatisfy { $1 >= $0.minimum } ? place : nil
    }

    private mutating func takes(_ declaration: ElementDeclaration, at place: Int, isRequired: Bool) -> Bool {
        if place < names.count, schema.allows(names[place], for: declaration) { return true }
        if isRequired { expect(declaration.name, at: place) }
        return false
    }

    private mutating func expect(_ name: XMLName, at place: Int) {
        if place > best.count { best = (place, []) }
        if place == best.count, !best.expected.contains(name) { best.expected.append(name) }
    }
}

extension SchemaSet {
    /// Returns whether a named element can replace a declaration: the declared element or a member of its substitution
    /// group, if not abstract.
    func allows(_ name: XMLName, for declaration: ElementDeclaration) -> Bool {
        if name == declaration.name { return !declaration.isAbstract }
        guard declaration.isReference, substitutions[declaration.name]?.contains(name) ?? false else { return false }
        return elements[name]?.isAbstract == false
    }
}
