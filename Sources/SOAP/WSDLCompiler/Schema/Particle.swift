// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments
package import XMLValues

/// A part of a content model, and its number of occurrences (XML Schema Part 1 section 3.9).
package struct Particle: Sendable {
    package indirect enum Term: Sendable {
        case element(ElementDeclaration)
        case sequence([Particle])
        case choice([Particle])
        /// Elements in any order.
        case all([Particle])
        /// Undeclared elements that match a wildcard.
        case any(Wildcard)
    }

    package var minimum = 1
    /// The maximum number of occurrences; `nil` for unbounded.
    package var maximum: Int? = 1
    package var term: Term
}

/// An element declaration, global or in a content model (XML Schema Part 1 section 3.3).
package struct ElementDeclaration: Sendable {
    /// The name in messages; an unqualified local element has no namespace.
    package var name: XMLName
    package var type: TypeReference
    /// Whether `xsi:nil` may replace the content.
    package var isNillable = false
    package var isAbstract = false
    /// Whether this is a reference to a global element, which members of its substitution group may replace.
    package var isReference = false
    package var defaultValue: String?
    package var fixedValue: String?
    package var documentation: String?
    package var location = SourceLocation(document: "", line: 1)
}

/// A wildcard for elements (XML Schema Part 1 section 3.10).
package struct Wildcard: Sendable {
    package enum Processing: Sendable { case strict, lax, skip }

    package var namespaces: XMLWildcard
    package var processing: Processing

    /// Returns whether the wildcard allows elements of a namespace.
    package func allows(_ namespace: String) -> Bool { namespaces.accepts(namespace) }
}

extension Particle {
    /// Whether the particle occurs exactly once.
    var isSingle: Bool { minimum == 1 && maximum == 1 }

    /// Whether the particle can be empty.
    var isEmptiable: Bool {
        guard minimum > 0 else { return true }
        return switch term {
        case .element, .any: false
        case .sequence(let parts), .all(let parts): parts.allSatisfy(\.isEmptiable)
        case .choice(let parts): parts.contains(where: \.isEmptiable)
        }
    }

    /// Returns the same content with fewer groups, and with only 0, 1 and unbounded as occurrences; `nil`
    /// for empty content.
    ///
    /// A group of one part becomes that part. A sequence in a sequence, or a choice in a choice, is flattened if the
    /// result allows the same content. An empty alternative makes the choice optional.
    func normalized() -> Particle? {
        guard maximum != 0 else { return nil }
        let limit = maximum == 1 ? 1 : nil
        switch term {
        case .element, .any: return Particle(minimum: min(minimum, 1), maximum: limit, term: term)
        case .sequence(let parts):
            var flat: [Particle] = []
            for part in parts {
                guard let part = part.normalized() else { continue }
                if case .sequence(let inner) = part.term, part.maximum == 1,
                    part.minimum == 1 || inner.allSatisfy(\.isEmptiable)
                {
                    flat += inner
                } else {
                    flat.append(part)
                }
            }
            return collapsed(flat, maximum: limit, term: Term.sequence)
        case .all(let parts):
            return collapsed(parts.compactMap { $0.normalized() }, maximum: limit, term: Term.all)
        case .choice(let parts):
            var (flat, lowerBound): ([Particle], Int) = ([], min(minimum, 1))
            for part in parts {
                guard var part = part.normalized() else { continue }
                if part.isEmptiable { lowerBound = 0 }
                if case .choice(let inner) = part.term, part.maximum == 1 || limit == nil {
                    flat += inner
                } else {
                    part.minimum = 1
                    flat.append(part)
                }
            }
            return collapsed(flat, minimum: lowerBound, maximum: limit, term: Term.choice)
        }
    }

    private func collapsed(
        _ parts: [Particle], minimum lowerBound: Int? = nil, maximum limit: Int?, term: ([Particle]) -> Term
    ) -> Particle? {
        let lowerBound = lowerBound ?? min(minimum, 1)
        guard let first = parts.first else { return nil }
        guard parts.count == 1 else { return Particle(minimum: lowerBound, maximum: limit, term: term(parts)) }
        let isOnce = limit == 1 && first.maximum == 1
        return Particle(minimum: lowerBound * first.minimum, maximum: isOnce ? 1 : nil, term: first.term)
    }

    /// The first element, from which a name for the particle is derived; `nil` if the particle is a wildcard.
    var firstElement: ElementDeclaration? {
        switch term {
        case .element(let element): return element
        case .any: return nil
        case .sequence(let parts), .all(let parts), .choice(let parts):
            for part in parts {
                if let element = part.firstElement { return element }
            }
            return nil
        }
    }
}
