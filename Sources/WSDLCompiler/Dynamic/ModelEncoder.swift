// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Writes the members of one object in the order of a content model.
struct ModelEncoder {
    private let encoder: ValueEncoder
    private let model: Particle
    private let declared: DeclaredElements
    private let keys: Set<String>
    private let path: String
    private var pool: ElementPool

    init(encoder: ValueEncoder, model: Particle, members: [JSONValue.Member], path: String) {
        (self.encoder, self.model, self.path) = (encoder, model, path)
        let schema = encoder.schema
        let declared = DeclaredElements(model, in: schema)
        self.declared = declared
        keys = Set(declared.entries.flatMap { [$0.declaration.name.local, $0.declaration.name.clark] })
        // For an element that occurs once, an array is its value, as for arrays of SOAP and lists.
        let single = Set(
            declared.entries.filter { !$0.isRepeated }
                .flatMap { [$0.declaration.name.local, $0.declaration.name.clark] })
        pool = ElementPool(members) { !single.contains($0) }
    }

    /// All elements; it is an error where a member is left.
    mutating func elements() throws(WSDLCompilerError) -> [ElementTree] {
        let found = try elements(of: model)
        guard let rest = pool.rest else { return found }
        if rest.taken > 0 { throw .value(path: path, .tooMany(name: rest.name, most: rest.taken)) }
        let names = declared.entries.map(\.declaration.name)
        let nearest = keys.contains(rest.name) ? nil : NearestName.of(XMLName(clark: rest.name), in: names)?.local
        throw .value(path: path, .unknown(name: rest.name, nearest: nearest))
    }

    private mutating func elements(of particle: Particle) throws(WSDLCompilerError) -> [ElementTree] {
        if case .element(let declaration) = particle.term { return try elements(declaration, particle) }
        if case .any(let wildcard) = particle.term { return try others(wildcard, particle) }
        var found: [ElementTree] = []
        var count = 0
        while count < particle.maximum ?? Int.max {
            let hasMore = available(particle.term) > 0
            guard hasMore || count < max(particle.minimum, 0) else { break }
            // What has to be there may still hold nothing.
            if !hasMore, isEmptiable(particle.term) { break }
            let before = found.count
            found += try once(particle.term)
            count += 1
            if found.count == before { break }
        }
        return found
    }

    private mutating func once(_ term: Particle.Term) throws(WSDLCompilerError) -> [ElementTree] {
        switch term {
        case .sequence(let particles), .all(let particles):
            var found: [ElementTree] = []
            for particle in particles { found += try elements(of: particle) }
            return found
        case .choice(let branches):
            // The branch for which most is there; the first one of several.
            var best: (count: Int, branch: Particle)?
            for branch in branches {
                let count = available(branch.term)
                if count > best?.count ?? 0 { best = (count, branch) }
            }
            guard let best else {
                let names = branches.flatMap { DeclaredElements($0, in: encoder.schema).entries.map(\.key) }
                throw .value(path: path, .noChoice(names: names))
            }
            return try elements(of: best.branch)
        case .element, .any: return []
        }
    }

    private mutating func elements(
        _ declaration: ElementDeclaration, _ particle: Particle
    ) throws(WSDLCompilerError) -> [ElementTree] {
        var found: [ElementTree] = []
        for declaration in alternatives(declaration) {
            while found.count < particle.maximum ?? Int.max, let (value, end) = pool.take(declaration.name) {
                // A null says that an element that is optional and not nillable is not there.
                let isAbsent = particle.minimum == 0 && particle.maximum == 1 && !declaration.isNillable
                if value == .null, isAbsent, !encoder.isEncoded { continue }
                found.append(try encoder.element(declaration, value, at: "\(path).\(end)"))
            }
        }
        guard found.count < particle.minimum else { return found }
        guard found.isEmpty, let fixed = declaration.fixedValue, !declaration.isAbstract else {
            throw .value(path: path, .missing(name: declaration.name.local))
        }
        return [try encoder.element(declaration, .string(fixed), at: "\(path).\(declaration.name.local)")]
    }

    /// The element itself and the members of its substitution group.
    private func alternatives(_ declaration: ElementDeclaration) -> [ElementDeclaration] {
        let own = declaration.isAbstract ? [] : [declaration]
        guard declaration.isReference else { return own }
        let members = encoder.schema.substitutions[declaration.name] ?? []
        return own + members.compactMap { encoder.schema.reference(to: $0) }.filter { !$0.isAbstract }
    }

    private mutating func others(
        _ wildcard: Wildcard, _ particle: Particle
    ) throws(WSDLCompilerError) -> [ElementTree] {
        var found: [ElementTree] = []
        let keys = keys
        while found.count < particle.maximum ?? Int.max,
            let (name, value, end) = pool.takeOther(than: { key in
                keys.contains(key) || !wildcard.allows(XMLName(clark: key).namespace)
            })
        {
            found.append(try encoder.other(name, value, at: "\(path).\(end)"))
        }
        guard found.count < particle.minimum else { return found }
        throw .value(path: path, .missing(name: "{namespace}element"))
    }

    /// How many names of a part of the model have values left.
    private func available(_ term: Particle.Term) -> Int {
        switch term {
        case .element(let declaration):
            alternatives(declaration).contains { pool.count($0.name) > 0 } ? 1 : 0
        case .sequence(let inner), .choice(let inner), .all(let inner):
            inner.reduce(0) { $0 + available($1.term) }
        case .any(let wildcard):
            hasOther(wildcard) ? 1 : 0
        }
    }

    private func hasOther(_ wildcard: Wildcard) -> Bool {
        var copy = pool
        return copy.takeOther { keys.contains($0) || !wildcard.allows(XMLName(clark: $0).namespace) } != nil
    }

    private func isEmptiable(_ term: Particle.Term) -> Bool {
        switch term {
        case .element, .any: false
        case .sequence(let inner), .all(let inner): inner.allSatisfy { $0.minimum == 0 || isEmptiable($0.term) }
        case .choice(let inner): inner.contains { $0.minimum == 0 || isEmptiable($0.term) }
        }
    }
}
