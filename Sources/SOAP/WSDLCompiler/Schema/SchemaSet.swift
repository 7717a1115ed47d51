// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The global components of all schemas of a description (XML Schema Part 1 section 2.2), in the order in which they were read.
package struct SchemaSet: Sendable {
    /// The global types, by name.
    package var types: [XMLName: TypeDefinition] = [:]
    /// The global elements, by name.
    package var elements: [XMLName: ElementDeclaration] = [:]
    /// The names of ``types``, in the order of the documents.
    package var typeOrder: [XMLName] = []
    /// The names of ``elements``, in the order of the documents.
    package var elementOrder: [XMLName] = []
    /// The names in ``elements`` of local elements whose anonymous types hold themselves; no name of XML has a space as these do.
    package var hoistedOrder: [XMLName] = []
    /// The members of each substitution group by its head, in document order; without the head, members of members included.
    package var substitutions: [XMLName: [XMLName]] = [:]
    /// The types that are derived from each complex type, directly or not, in document order.
    package var derivations: [XMLName: [XMLName]] = [:]
}

extension SchemaSet {
    /// A global element as a reference to it is, without its anonymous type.
    package func reference(to name: XMLName) -> ElementDeclaration? {
        guard var element = elements[name] else { return nil }
        if case .anonymous = element.type { element.type = .ofElement(name) }
        element.isReference = true
        return element
    }
}

/// A simple type with its restrictions followed down to what they restrict.
package indirect enum SimpleShape: Sendable {
    /// A built-in type, and what each step of restriction says, the outermost last.
    case atomic(BuiltInType, [Facets])
    case list(item: SimpleShape, [Facets])
    case union([SimpleShape], [Facets])

    /// What each step of restriction says.
    package var facets: [Facets] {
        switch self {
        case .atomic(_, let facets), .list(_, let facets), .union(_, let facets): facets
        }
    }

    /// The values of the outermost enumeration; empty where there is none.
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
    /// What a reference is to; `nil` for a built-in type.
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

    /// The simple type that a reference is to, or that is the content of the complex one; `nil` for one with elements.
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
