// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension TypeMaker {
    /// Builds a complex type, including the content inherited from its base (XML Schema Part 1 section 3.4.2).
    func complexType(_ node: DocumentNode, name: XMLName?) throws(WSDLCompilerError) -> ComplexType {
        var type = ComplexType(name: name, location: node.location)
        type.documentation = node.documentation
        type.isAbstract = flag(node, "abstract")
        type.isMixed = flag(node, "mixed")
        if let name, name.local == "Array", KnownNamespaces.isEncoding(name.namespace) {
            type.soapArrayItem = .builtIn(.anyType)
            return type
        }
        for (local, child) in node.children(in: KnownNamespaces.schema)
        where local == "simpleContent" || local == "complexContent" {
            if child["mixed"] != nil { type.isMixed = flag(child, "mixed") }
            for (local, derivation) in child.children(in: KnownNamespaces.schema)
            where local == "extension" || local == "restriction" {
                try derive(&type, derivation, local == "extension" ? .extension : .restriction)
                return type
            }
            throw .missingElement(child.location, element: local, child: "extension")
        }
        let list = try attributes(of: node)
        (type.attributes, type.hasAnyAttribute) = (list.over([]), list.hasAny)
        if let model = try model(of: node) { type.content = .elements(model) }
        return type
    }

    private func derive(
        _ type: inout ComplexType, _ node: DocumentNode, _ derivation: ComplexType.Derivation
    ) throws(WSDLCompilerError) {
        let list = try attributes(of: node)
        let reference: TypeReference
        if let text = node["base"] {
            if let base = try redefinedBase(text, at: node, of: type.name) {
                return try derive(&type, node, derivation, from: base, list)
            }
            reference = typeReference(text, at: node)
        } else if let child = node.children("simpleType", in: KnownNamespaces.schema).first {
            reference = .anonymous(.simple(try simpleType(child, name: nil)))
        } else {
            throw .missingAttribute(node.location, element: node.name.local, attribute: "base")
        }
        if case .global(let name) = reference, case .complex(let base) = try builder.type(name) {
            type.base = (name, derivation)
            return try derive(&type, node, derivation, from: base, list)
        }
        (type.attributes, type.hasAnyAttribute) = (list.over([]), list.hasAny)
        if case .builtIn(.anyType) = reference {
            if let model = try model(of: node) {
                type.content = .elements(model)
            } else if derivation == .extension {
                // The type inherits any content from its base, xs:anyType (section 3.4.7).
                let wildcard = Wildcard(namespaces: .any, processing: .lax)
                type.content = .elements(Particle(minimum: 0, maximum: nil, term: .any(wildcard)))
                (type.isMixed, type.hasAnyAttribute) = (true, true)
            }
            return
        }
        // The base is a simple type.
        let hasElements = try model(of: node) != nil
        if derivation == .restriction || hasElements {
            builder.warn(.simpleBase(qualifiedName(node["base"] ?? "", at: node).name), at: node)
        }
        type.content = .simple(try restricted(reference, node))
    }

    private func redefinedBase(
        _ text: String, at node: DocumentNode, of name: XMLName?
    ) throws(WSDLCompilerError) -> ComplexType? {
        guard let redefined, name == redefined.name, qualifiedName(text, at: node).name == redefined.name,
            case .complex(let base) = try builder.definition(redefined.component, redefined.name)
        else { return nil }
        return base
    }

    private func derive(
        _ type: inout ComplexType, _ node: DocumentNode, _ derivation: ComplexType.Derivation, from base: ComplexType,
        _ list: AttributeList
    ) throws(WSDLCompilerError) {
        try builder.grow(by: base.attributes.count, at: node)
        type.attributes = list.over(base.attributes)
        type.hasAnyAttribute = list.hasAny || (derivation == .extension && base.hasAnyAttribute)
        if let item = base.soapArrayItem {
            // The runtime handles the attributes of encoded values (SOAP 1.1 section 5.4.2).
            type.soapArrayItem = try arrayItem(node) ?? item
            type.attributes = type.attributes.filter { !KnownNamespaces.isEncoding($0.name.namespace) }
            type.attributes = type.attributes.filter { !Self.encodingAttributes.contains($0.name.local) }
            return
        }
        if case .simple(let content) = base.content {
            type.content = .simple(derivation == .restriction ? try restricted(content, node) : content)
            return
        }
        let own = try model(of: node)
        type.isMixed = type.isMixed || (derivation == .extension && base.isMixed)
        switch (derivation, base.content) {
        case (.extension, .elements(let inherited)):
            let both = own.flatMap { Particle.sequence(of: [inherited, $0]) } ?? inherited
            try builder.grow(by: both.count, at: node)
            type.content = .elements(both)
        default:
            type.content = own.map { .elements($0) } ?? .empty
        }
    }

    private static let encodingAttributes: Set = ["id", "href"]

    /// Returns a simple type restricted by the element's facets, with the nested simple type, if any, as its base.
    private func restricted(_ base: TypeReference, _ node: DocumentNode) throws(WSDLCompilerError) -> TypeReference {
        let facets = try facets(of: node)
        var base = base
        if node["base"] != nil, let child = node.children("simpleType", in: KnownNamespaces.schema).first {
            base = .anonymous(.simple(try simpleType(child, name: nil)))
        }
        let hasFacets = node.children(in: KnownNamespaces.schema).contains { Self.facetNames.contains($0.local) }
        guard hasFacets else { return base }
        let variety = SimpleType.Variety.restriction(base: base, facets: facets)
        let type = SimpleType(name: nil, documentation: nil, variety: variety, location: node.location)
        return .anonymous(.simple(type))
    }

    /// Returns the item type of an array: the type that `wsdl:arrayType` names, or that of the single element.
    private func arrayItem(_ node: DocumentNode) throws(WSDLCompilerError) -> TypeReference? {
        let arrayType = XMLName("arrayType", in: KnownNamespaces.wsdl)
        for attribute in node.children("attribute", in: KnownNamespaces.schema) {
            guard let text = attribute.element[arrayType] ?? attribute["arrayType"] else { continue }
            let name = String(text.prefix { $0 != "[" })
            var item = typeReference(name, at: attribute)
            // All pairs of brackets except the last denote nested arrays.
            for _ in 1..<max(2, min(text.count { $0 == "[" }, 8)) where text.contains("][") {
                var inner = ComplexType(name: nil, location: attribute.location)
                inner.soapArrayItem = item
                item = .anonymous(.complex(inner))
            }
            return item
        }
        guard let model = try model(of: node), case .sequence(let particles) = model.term,
            case .element(let element)? = particles.first?.term, particles.count == 1
        else { return nil }
        return element.type
    }
}
