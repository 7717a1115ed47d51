// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension TypeMaker {
    /// Builds a global element with its type, which may be anonymous.
    func globalElement(_ node: DocumentNode, name: XMLName) throws(WSDLCompilerError) -> ElementDeclaration {
        try builder.enter(.element, name, at: node)
        defer { builder.path.removeLast() }
        var element = header(node, name: name)
        if let type = try anonymousType(of: node) { element.type = type }
        return element
    }

    /// Returns the declaration for a reference to a global element.
    func reference(_ text: String, at node: DocumentNode) throws(WSDLCompilerError) -> ElementDeclaration? {
        guard let found = find(.element, text, at: node) else { return nil }
        let maker = TypeMaker(builder: builder, schema: found.component.schema, redefined: nil)
        var element = maker.header(found.component.node, name: found.name)
        element.isReference = true
        return element
    }

    /// Returns a global element, with only a reference to its type if the type is anonymous.
    func header(_ node: DocumentNode, name: XMLName, depth: Int = 0) -> ElementDeclaration {
        let type: TypeReference
        if node["type"] == nil, hasAnonymousType(node) {
            type = .ofElement(name)
        } else if node["type"] == nil, let head = node["substitutionGroup"], depth < 50,
            let found = find(.element, head, at: node)
        {
            // An element without a type has the type of its substitution group's head (XML Schema Part 1
            // section 3.3.2).
            let maker = TypeMaker(builder: builder, schema: found.component.schema, redefined: nil)
            type = maker.header(found.component.node, name: found.name, depth: depth + 1).type
        } else {
            type = node["type"].map { typeReference($0, at: node) } ?? .builtIn(.anyType)
        }
        return declaration(node, name: name, type: type)
    }

    /// Builds an element in a content model.
    func localElement(_ node: DocumentNode) throws(WSDLCompilerError) -> ElementDeclaration? {
        if let text = node["ref"] {
            guard var element = try reference(text, at: node) else { return nil }
            if let documentation = node.documentation { element.documentation = documentation }
            return element
        }
        let isQualified = node["form"].map { $0.trimmingSpaces == "qualified" } ?? schema.qualifiesElements
        let name = XMLName(try node.requiredName(), in: isQualified ? schema.targetNamespace : "")
        var type = TypeReference.builtIn(.anyType)
        if let text = node["type"] {
            type = typeReference(text, at: node)
        } else if let anonymous = try builder.anonymousType(of: node, by: self) {
            type = anonymous
        }
        return declaration(node, name: name, type: type)
    }

    private func declaration(_ node: DocumentNode, name: XMLName, type: TypeReference) -> ElementDeclaration {
        var element = ElementDeclaration(name: name, type: type, location: node.location)
        element.isNillable = flag(node, "nillable")
        element.isAbstract = flag(node, "abstract")
        element.defaultValue = node["default"]
        element.fixedValue = node["fixed"]
        element.documentation = node.documentation
        return element
    }

    private func hasAnonymousType(_ node: DocumentNode) -> Bool {
        node.children(in: KnownNamespaces.schema).contains { $0.local == "complexType" || $0.local == "simpleType" }
    }

    func anonymousType(of node: DocumentNode) throws(WSDLCompilerError) -> TypeReference? {
        guard node["type"] == nil else { return nil }
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            if local == "complexType" { return .anonymous(.complex(try complexType(child, name: nil))) }
            if local == "simpleType" { return .anonymous(.simple(try simpleType(child, name: nil))) }
        }
        return nil
    }

    // MARK: Attributes

    /// Returns the attributes of a type or a group, in their order, and the names of prohibited ones.
    func attributes(of node: DocumentNode) throws(WSDLCompilerError) -> AttributeList {
        var list = AttributeList()
        for (local, child) in node.children(in: KnownNamespaces.schema) {
            switch local {
            case "attribute":
                guard let attribute = try attribute(child) else { continue }
                if child["use"]?.trimmingSpaces == "prohibited" {
                    list.prohibited.append(attribute.name)
                } else {
                    list.uses.append(attribute)
                }
            case "attributeGroup":
                guard let text = child["ref"], let found = try group(.attributeGroup, text, at: child) else { continue }
                try builder.enter(.attributeGroup, found.name, at: child)
                defer { builder.path.removeLast() }
                // Expanding an empty group takes time too, so it counts.
                try builder.grow(by: 1, at: child)
                let group = try found.maker.attributes(of: found.node)
                try builder.grow(by: group.uses.count, at: child)
                list.uses += group.uses
                list.hasAny = list.hasAny || group.hasAny
            case "anyAttribute": list.hasAny = true
            default: continue
            }
            try builder.limit(list.uses.count, at: child)
        }
        return list
    }

    /// Returns the referenced group; a reference to a group inside its own redefinition refers to the redefined group.
    func group(
        _ kind: ComponentKind, _ text: String, at node: DocumentNode
    ) throws(WSDLCompilerError) -> (name: XMLName, node: DocumentNode, maker: TypeMaker)? {
        if let redefined, qualifiedName(text, at: node).name == redefined.name,
            ["group", "attributeGroup"].contains(redefined.component.node.name.local)
        {
            let inner = redefined.component.redefined.map { (redefined.name, $0) }
            let maker = TypeMaker(builder: builder, schema: redefined.component.schema, redefined: inner)
            // The path needs a different name, since the redefined group is inside the group of the same name.
            let name = XMLName(redefined.name.local + " (redefined)", in: redefined.name.namespace)
            return (name, redefined.component.node, maker)
        }
        guard let found = find(kind, text, at: node) else { return nil }
        let inner = found.component.redefined.map { (found.name, $0) }
        let maker = TypeMaker(builder: builder, schema: found.component.schema, redefined: inner)
        return (found.name, found.component.node, maker)
    }

    private func attribute(_ node: DocumentNode) throws(WSDLCompilerError) -> AttributeUse? {
        var declared = node
        var maker = self
        let name: XMLName
        if let text = node["ref"] {
            guard let found = find(.attribute, text, at: node) else { return nil }
            (name, declared) = (found.name, found.component.node)
            maker = TypeMaker(builder: builder, schema: found.component.schema, redefined: nil)
        } else {
            let isQualified = node["form"].map { $0.trimmingSpaces == "qualified" } ?? schema.qualifiesAttributes
            name = XMLName(try node.requiredName(), in: isQualified ? schema.targetNamespace : "")
        }
        let type = try maker.attributeType(declared)
        let isRequired = node["use"]?.trimmingSpaces == "required"
        var use = AttributeUse(name: name, type: type, isRequired: isRequired, location: node.location)
        use.defaultValue = node["default"] ?? declared["default"]
        use.fixedValue = node["fixed"] ?? declared["fixed"]
        use.documentation = node.documentation ?? declared.documentation
        return use
    }

    private func attributeType(_ node: DocumentNode) throws(WSDLCompilerError) -> TypeReference {
        if let text = node["type"] {
            let type = typeReference(text, at: node)
            try check(type, at: node)
            if case .builtIn(.anyType) = type { return .builtIn(.anySimpleType) }
            return type
        }
        guard let child = node.children("simpleType", in: KnownNamespaces.schema).first else {
            return .builtIn(.anySimpleType)
        }
        return .anonymous(.simple(try simpleType(child, name: nil)))
    }
}

/// The attributes that one type or group declares.
struct AttributeList {
    var uses: [AttributeUse] = []
    var prohibited: [XMLName] = []
    var hasAny = false

    /// Merges the attributes with those of a base type, which come first and may be replaced or prohibited (XML Schema
    /// Part 1 section 3.4.2).
    func over(_ base: [AttributeUse]) -> [AttributeUse] {
        let prohibited = Set(prohibited)
        var merged = base.filter { !prohibited.contains($0.name) }
        var places = Dictionary(merged.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        for use in uses {
            if let place = places[use.name] {
                merged[place] = use
            } else {
                places[use.name] = merged.count
                merged.append(use)
            }
        }
        return merged
    }
}
