// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The global components of all schemas of a description (XML Schema Part 1 section 2.2), in document order.
package struct SchemaSet: Sendable {
    /// The global types, by name.
    package var types: [XMLName: TypeDefinition] = [:]
    /// The global elements, by name.
    package var elements: [XMLName: ElementDeclaration] = [:]
    /// The names of ``types``, in document order.
    package var typeOrder: [XMLName] = []
    /// The names of ``elements``, in document order.
    package var elementOrder: [XMLName] = []
    /// The names in ``elements`` of local elements with hoisted recursive types; each contains a space, which is not
    /// allowed in XML names.
    package var hoistedOrder: [XMLName] = []
    /// The members of each substitution group by the name of its head, in document order; they include indirect
    /// members, but not the head.
    package var substitutions: [XMLName: [XMLName]] = [:]
    /// The types that are derived directly or indirectly from each complex type, in document order.
    package var derivations: [XMLName: [XMLName]] = [:]
}

extension SchemaSet {
    /// Returns a reference to a global element, whose anonymous type, if any, is referred to as well.
    package func reference(to name: XMLName) -> ElementDeclaration? {
        guard var element = elements[name] else { return nil }
        if case .anonymous = element.type { element.type = .ofElement(name) }
        element.isReference = true
        return element
    }
}

/// A simple type with its chain of restrictions resolved.
package indirect enum SimpleShape: Sendable {
    /// A built-in type, and the facets of each restriction step, the most derived last.
    case atomic(BuiltInType, [Facets])
    case list(item: SimpleShape, [Facets])
    case union([SimpleShape], [Facets])

    /// The facets of each restriction step, the most derived last.
    package var facets: [Facets] {
        switch self {
        case .atomic(_, let facets), .list(_, let facets), .union(_, let facets): facets
        }
    }

    /// The values of the most derived enumeration; empty if there is none.
    package var enumeration: [Facets.Value] { facets.last { !$0.enumeration.isEmpty }?.enumeration ?? [] }

    fileprivate func restricted(by facets: Facets) -> SimpleShape {
        switch self {
        case .atomic(let type, let steps): .atomic(type, steps + [facets])
        case .list(let item, let steps): .list(item: item, steps + [facets])
        case .union(let members, let steps): .union(members, steps + [facets])
        }
    }
}

extension SchemaSet {
    /// Returns the definition of a type; `nil` for a built-in type.
    package func definition(of reference: TypeReference) -> TypeDefinition? {
        switch reference {
        case .builtIn: return nil
        case .anonymous(let definition): return definition
        case .global(let name): return types[name]
        case .ofElement(let name):
            guard case .anonymous(let definition)? = elements[name]?.type else { return nil }
            return definition
        }
    }

    /// Returns a simple type, or that of a complex type's simple content; `nil` for a type with elements.
    package func simpleShape(of reference: TypeReference, depth: Int = 0) -> SimpleShape? {
        guard depth < 100 else { return nil }
        if case .builtIn(let type) = reference {
            switch type {
            case .anyType: return nil
            case .nmTokens: return .list(item: .atomic(.nmToken, []), [])
            case .idReferences: return .list(item: .atomic(.idReference, []), [])
            case .entities: return .list(item: .atomic(.entity, []), [])
            default: return .atomic(type, [])
            }
        }
        switch definition(of: reference) {
        case .complex(let type)?:
            guard case .simple(let content) = type.content else { return nil }
            return simpleShape(of: content, depth: depth + 1)
        case .simple(let type)?: return shape(of: type, depth: depth)
        case nil: return nil
        }
    }

    private func shape(of type: SimpleType, depth: Int) -> SimpleShape? {
        switch type.variety {
        case .restriction(let base, let facets):
            return simpleShape(of: base, depth: depth + 1)?.restricted(by: facets)
        case .list(let item, let facets):
            return simpleShape(of: item, depth: depth + 1).map { .list(item: $0, [facets]) }
        case .union(let members, let facets):
            return .union(members.compactMap { simpleShape(of: $0, depth: depth + 1) }, [facets])
        }
    }
}
