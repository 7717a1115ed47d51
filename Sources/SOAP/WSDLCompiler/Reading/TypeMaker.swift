// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// Builds types, elements and attributes from the elements of one schema document.
struct TypeMaker {
    let builder: SchemaBuilder
    let schema: SchemaDocument
    /// The component that the current component redefines, to which references to its own name resolve.
    let redefined: (name: XMLName, component: SchemaComponent)?

    /// Finds a schema component, and records the reference as unresolved if there is none.
    func find(
        _ kind: ComponentKind, _ text: String, at node: DocumentNode
    ) -> (name: XMLName, component: SchemaComponent)? {
        let qualified = qualifiedName(text, at: node)
        if let found = builder.find(kind, qualified, at: node, targetNamespace: schema.targetNamespace) { return found }
        builder.recordMissing(kind, qualified, at: node)
        return nil
    }

    func qualifiedName(_ text: String, at node: DocumentNode) -> QualifiedName {
        QualifiedName(text, at: node, chameleon: schema.isChameleon ? schema.targetNamespace : "")
    }

    /// Returns the named type; if there is none, records the reference and returns `xs:anyType`.
    func typeReference(_ text: String, at node: DocumentNode) -> TypeReference {
        let qualified = qualifiedName(text, at: node)
        if let builtIn = BuiltInType(qualified.name) {
            if let prefix = qualified.undeclaredPrefix { builder.warn(.undeclaredPrefix(prefix), at: node) }
            return .builtIn(builtIn)
        }
        if let found = builder.find(.type, qualified, at: node, targetNamespace: schema.targetNamespace) {
            return .global(found.name)
        }
        // A built-in type's name is unambiguous even without a prefix and a default namespace.
        if qualified.name.namespace.isEmpty || qualified.name.namespace == schema.targetNamespace,
            let builtIn = BuiltInType(XMLName(qualified.name.local, in: KnownNamespaces.schema)), !text.contains(":")
        {
            let found = XMLName(qualified.name.local, in: KnownNamespaces.schema)
            builder.warn(.otherNamespace(qualified.name, found: found), at: node)
            return .builtIn(builtIn)
        }
        builder.recordMissing(.type, qualified, at: node)
        return .builtIn(.anyType)
    }

    func occurrence(of node: DocumentNode) throws(WSDLCompilerError) -> (minimum: Int, maximum: Int?) {
        let minimum = try count(node, "minOccurs") ?? 1
        if node["maxOccurs"]?.trimmingSpaces == "unbounded" { return (minimum, nil) }
        return (minimum, max(minimum, try count(node, "maxOccurs") ?? 1))
    }

    private func count(_ node: DocumentNode, _ attribute: String) throws(WSDLCompilerError) -> Int? {
        guard let text = node[attribute] else { return nil }
        guard let count = Int(text.trimmingSpaces), count >= 0 else {
            throw .invalidValue(node.location, attribute: attribute, value: text)
        }
        return count
    }

    func flag(_ node: DocumentNode, _ attribute: String) -> Bool {
        node[attribute].map { ["true", "1"].contains($0.trimmingSpaces) } ?? false
    }
}

extension TypeMaker {
    /// Builds a simple type (XML Schema Part 1 section 3.14).
    func simpleType(_ node: DocumentNode, name: XMLName?) throws(WSDLCompilerError) -> SimpleType {
        let variety = try variety(of: node, named: name)
        return SimpleType(name: name, documentation: node.documentation, variety: variety, location: node.location)
    }

    private func variety(of node: DocumentNode, named name: XMLName?) throws(WSDLCompilerError) -> SimpleType.Variety {
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            switch local {
            case "restriction":
                return .restriction(base: try simpleBase(child, of: name), facets: try facets(of: child))
            case "list":
                return .list(item: try simpleReference(child, "itemType"), facets: Facets())
            case "union":
                let texts = child["memberTypes"]?.split(whereSeparator: \.isWhitespace) ?? []
                var members = texts.map { typeReference(String($0), at: child) }
                for member in child.children("simpleType", in: KnownNamespaces.schema) {
                    members.append(.anonymous(.simple(try simpleType(member, name: nil))))
                }
                for member in members { try check(member, at: child) }
                return .union(members: members, facets: Facets())
            default: continue
            }
        }
        throw .missingElement(node.location, element: "simpleType", child: "restriction")
    }

    /// Returns the base type; if that is the type's own name, the redefined type.
    private func simpleBase(_ node: DocumentNode, of name: XMLName?) throws(WSDLCompilerError) -> TypeReference {
        if let redefined, let text = node["base"], name == redefined.name,
            qualifiedName(text, at: node).name == redefined.name
        {
            return .anonymous(try builder.definition(redefined.component, redefined.name).anonymous)
        }
        return try simpleReference(node, "base")
    }

    /// Returns a simple type that an attribute names or that the element contains.
    private func simpleReference(_ node: DocumentNode, _ attribute: String) throws(WSDLCompilerError) -> TypeReference {
        if let text = node[attribute] {
            let reference = typeReference(text, at: node)
            try check(reference, at: node)
            return reference
        }
        guard let child = node.children("simpleType", in: KnownNamespaces.schema).first else {
            throw .missingAttribute(node.location, element: node.name.local, attribute: attribute)
        }
        return .anonymous(.simple(try simpleType(child, name: nil)))
    }

    /// Throws for complex types and for types that are derived from themselves.
    func check(_ reference: TypeReference, at node: DocumentNode) throws(WSDLCompilerError) {
        guard case .global(let name) = reference else { return }
        if case .complex = try builder.type(name) { throw .notSimple(node.location, type: name) }
    }

    /// Returns the facets of a restriction (XML Schema Part 2 section 4.3).
    func facets(of node: DocumentNode) throws(WSDLCompilerError) -> Facets {
        var facets = Facets()
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            guard Self.facetNames.contains(local) else { continue }
            let value = try child.required("value")
            switch local {
            case "enumeration":
                facets.enumeration.append(Facets.Value(text: value, documentation: child.documentation))
            case "pattern": facets.patterns.append(value)
            case "length": facets.length = try number(value, child)
            case "minLength": facets.minimumLength = try number(value, child)
            case "maxLength": facets.maximumLength = try number(value, child)
            case "totalDigits": facets.totalDigits = try number(value, child)
            case "fractionDigits": facets.fractionDigits = try number(value, child)
            case "minInclusive": facets.minimumInclusive = value.trimmingSpaces
            case "minExclusive": facets.minimumExclusive = value.trimmingSpaces
            case "maxInclusive": facets.maximumInclusive = value.trimmingSpaces
            case "maxExclusive": facets.maximumExclusive = value.trimmingSpaces
            default: facets.whiteSpace = try whiteSpace(value, child)
            }
        }
        return facets
    }

    static let facetNames: Set = [
        "enumeration", "pattern", "length", "minLength", "maxLength", "totalDigits", "fractionDigits", "minInclusive",
        "minExclusive", "maxInclusive", "maxExclusive", "whiteSpace",
    ]

    private func number(_ text: String, _ node: DocumentNode) throws(WSDLCompilerError) -> Int {
        guard let number = Int(text.trimmingSpaces), number >= 0 else {
            throw .invalidValue(node.location, attribute: node.name.local, value: text)
        }
        return number
    }

    private func whiteSpace(_ text: String, _ node: DocumentNode) throws(WSDLCompilerError) -> XMLWhiteSpace {
        switch text.trimmingSpaces {
        case "preserve": return .preserve
        case "replace": return .replace
        case "collapse": return .collapse
        default: throw .invalidValue(node.location, attribute: "whiteSpace", value: text)
        }
    }
}

extension TypeDefinition {
    /// The same definition without a name.
    var anonymous: TypeDefinition {
        switch self {
        case .simple(var type):
            type.name = nil
            return .simple(type)
        case .complex(var type):
            type.name = nil
            return .complex(type)
        }
    }
}
