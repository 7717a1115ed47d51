// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension TypeMaker {
    /// Returns the content model in a type or derivation; `nil` if there is none or it is empty.
    func model(of node: DocumentNode) throws(WSDLCompilerError) -> Particle? {
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            if ["sequence", "choice", "all", "group"].contains(local) { return try particle(local, child) }
            if local == "element" || local == "any" {
                // Many schemas omit the sequence, but the meaning is clear.
                builder.warn(.unknownElement(child.name), at: child)
                return try sequence(of: node)
            }
        }
        return nil
    }

    private func particle(_ local: String, _ node: DocumentNode) throws(WSDLCompilerError) -> Particle? {
        let (minimum, maximum) = try occurrence(of: node)
        guard maximum != 0 else { return nil }
        func occurring(_ term: Particle.Term) -> Particle { Particle(minimum: minimum, maximum: maximum, term: term) }
        switch local {
        case "element": return try localElement(node).map { occurring(.element($0)) }
        case "any": return occurring(.any(try wildcard(node)))
        case "group": return try groupReference(node).map { $0.occurring(minimum, maximum) }
        case "sequence": return try sequence(of: node)?.occurring(minimum, maximum)
        case "choice":
            let branches = try particles(of: node)
            return branches.isEmpty ? nil : occurring(.choice(branches))
        default:
            let members = try particles(of: node)
            return members.isEmpty ? nil : occurring(.all(members))
        }
    }

    private func sequence(of node: DocumentNode) throws(WSDLCompilerError) -> Particle? {
        Particle.sequence(of: try particles(of: node))
    }

    private func particles(of node: DocumentNode) throws(WSDLCompilerError) -> [Particle] {
        var found: [Particle] = []
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            guard ["element", "any", "group", "sequence", "choice", "all"].contains(local) else {
                if local != "annotation", !Self.attributeNames.contains(local) {
                    builder.warn(.unknownElement(child.name), at: child)
                }
                continue
            }
            if let particle = try particle(local, child) {
                found.append(particle)
            } else if node.name.local == "choice" {
                // An empty branch makes the other branches optional.
                found.append(Particle(minimum: 0, maximum: 1, term: .sequence([])))
            }
            try builder.limit(found.count, at: child)
        }
        return found
    }

    private static let attributeNames: Set = ["attribute", "attributeGroup", "anyAttribute"]

    private func groupReference(_ node: DocumentNode) throws(WSDLCompilerError) -> Particle? {
        guard let found = try group(.group, node.required("ref"), at: node) else { return nil }
        try builder.enter(.group, found.name, at: node)
        defer { builder.path.removeLast() }
        // Expanding an empty group takes time too, so it counts.
        try builder.grow(by: 1, at: node)
        guard let model = try found.maker.model(of: found.node) else { return nil }
        try builder.grow(by: model.count, at: node)
        return model
    }

    private func wildcard(_ node: DocumentNode) throws(WSDLCompilerError) -> Wildcard {
        let target = schema.targetNamespace
        let namespaces: XMLWildcard
        switch node["namespace"]?.trimmingSpaces ?? "##any" {
        case "##any": namespaces = .any
        case "##other": namespaces = .other(than: target)
        case let list:
            namespaces = .only(
                list.split(whereSeparator: \.isWhitespace).map {
                    $0 == "##targetNamespace" ? target : $0 == "##local" ? "" : String($0)
                })
        }
        let processing: Wildcard.Processing
        switch node["processContents"]?.trimmingSpaces ?? "strict" {
        case "strict": processing = .strict
        case "lax": processing = .lax
        case "skip": processing = .skip
        case let value: throw .invalidValue(node.location, attribute: "processContents", value: value)
        }
        return Wildcard(namespaces: namespaces, processing: processing)
    }
}

extension Particle {
    /// Returns a sequence of particles, in which nested sequences that occur once are flattened; `nil` for none.
    static func sequence(of particles: [Particle]) -> Particle? {
        let flat = particles.flatMap { particle in
            if particle.minimum == 1, particle.maximum == 1, case .sequence(let inner) = particle.term { return inner }
            return [particle]
        }
        return flat.isEmpty ? nil : Particle(term: .sequence(flat))
    }

    /// Returns a particle that repeats this one from `minimum` to `maximum` times.
    func occurring(_ minimum: Int, _ maximum: Int?) -> Particle {
        if minimum == 1, maximum == 1 { return self }
        if self.minimum == 1, self.maximum == 1 { return Particle(minimum: minimum, maximum: maximum, term: term) }
        return Particle(minimum: minimum, maximum: maximum, term: .sequence([self]))
    }

    /// The number of particles and attributes in the particle, including those of anonymous types.
    var count: Int {
        switch term {
        case .element(let element):
            if case .anonymous(.complex(let type)) = element.type { 1 + type.count } else { 1 }
        case .any: 1
        case .sequence(let inner), .choice(let inner), .all(let inner): inner.reduce(1) { $0 + $1.count }
        }
    }
}

extension ComplexType {
    /// The number of particles and attributes in the type.
    fileprivate var count: Int {
        if case .elements(let particle) = content { attributes.count + particle.count } else { attributes.count }
    }
}
