// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// A sample of an operation's request, generated only from the model.
package struct SampleRequest: Sendable {
    private let operation: Operation
    private let schema: SchemaSet

    package init(of operation: Operation, in schema: SchemaSet) { (self.operation, self.schema) = (operation, schema) }

    /// Generates the Body's elements.
    ///
    /// - Parameter variant: The amount of optional content.
    /// - Returns: The elements; none for an empty Body.
    /// - Throws: ``WSDLCompilerError/noSample(_:operation:element:)`` if no value can be generated because of a facet
    ///   or a cycle of types.
    package func elements(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> [ElementTree] {
        var maker = SampleMaker(schema: schema, variant: variant, isEncoded: operation.input.isEncoded)
        switch operation.input.body {
        case .empty: return []
        case .element(let declaration): return [try element(declaration, &maker)]
        case .parts(let wrapper, let declarations):
            var parts: [ElementTree] = []
            for declaration in declarations { parts.append(try element(declaration, &maker)) }
            guard let wrapper else { return parts }
            var tree = ElementTree(wrapper)
            tree.content = parts.map { .element($0) }
            return [tree]
        }
    }

    /// Generates the Body's elements as XML, one after the other.
    ///
    /// - Parameter variant: The amount of optional content.
    /// - Returns: The XML in UTF-8.
    /// - Throws: ``WSDLCompilerError/noSample(_:operation:element:)``.
    package func envelopeBody(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> [UInt8] {
        var texts: [String] = []
        for element in try elements(variant) { texts.append(try ElementTreeWriter.text(of: element)) }
        return Array(texts.joined(separator: "\n").utf8)
    }

    /// Generates the sample as JSON, in the form that ``DynamicCoder`` reads.
    ///
    /// - Parameter variant: The amount of optional content.
    /// - Returns: JSON over several lines.
    /// - Throws: ``WSDLCompilerError``.
    package func json(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> String {
        let body = Array("<Body>".utf8) + (try envelopeBody(variant)) + Array("</Body>".utf8)
        // The sample is useful even if some values violate a facet, so problems are ignored.
        return try DynamicCoder(schema).json(fromBody: body, of: operation.input, reporting: { _ in })
    }

    private func element(
        _ declaration: ElementDeclaration, _ maker: inout SampleMaker
    ) throws(WSDLCompilerError) -> ElementTree {
        guard let tree = maker.element(declaration) else {
            throw .noSample(declaration.location, operation: operation.name, element: declaration.name)
        }
        return tree
    }
}

/// The amount of optional content in a sample.
package enum SampleVariant: CaseIterable, Sendable {
    /// Only required content.
    case minimal
    /// Optional elements and attributes too, each once.
    case full
}

/// Generates elements that are valid according to the model.
private struct SampleMaker {
    private let schema: SchemaSet
    private let variant: SampleVariant
    private let isEncoded: Bool
    private var simple = SimpleSampler()
    /// The types of the enclosing elements, outermost first.
    private var path: [XMLName] = []
    private var count = 0
    private var steps = 0
    private var depth = 0

    init(schema: SchemaSet, variant: SampleVariant, isEncoded: Bool) {
        (self.schema, self.variant, self.isEncoded) = (schema, variant, isEncoded)
    }

    /// The number of elements after which a full sample continues as a minimal one, so that it stays readable.
    private static let fullElementLimit = 1_000
    private static let maximumStepCount = 200_000
    private static let maximumDepth = 60

    private var isFull: Bool { variant == .full && count < Self.fullElementLimit && path.count < 12 }

    /// Generates an element of a declaration; `nil` if that is impossible.
    mutating func element(_ declaration: ElementDeclaration) -> ElementTree? {
        steps += 1
        depth += 1
        defer { depth -= 1 }
        guard steps < Self.maximumStepCount, depth < Self.maximumDepth else { return nil }
        count += 1
        guard declaration.isAbstract else { return concrete(declaration) }
        for name in schema.substitutions[declaration.name] ?? [] {
            if let member = schema.reference(to: name), !member.isAbstract, let tree = concrete(member) { return tree }
        }
        return nil
    }

    private mutating func concrete(_ declaration: ElementDeclaration) -> ElementTree? {
        var tree = ElementTree(declaration.name)
        if fill(&tree, declaration) { return tree }
        guard declaration.isNillable else { return nil }
        tree = ElementTree(declaration.name)
        tree.set(ElementTree.nilAttribute, .text("true"))
        if case .complex(let type)? = schema.definition(of: declaration.type) {
            guard !type.isAbstract, addAttributes(of: type, to: &tree) else { return nil }
        }
        return tree
    }

    private mutating func fill(_ tree: inout ElementTree, _ declaration: ElementDeclaration) -> Bool {
        let given = declaration.fixedValue ?? declaration.defaultValue
        if isEncoded, let name = declaration.type.xmlName { tree.set(ElementTree.typeAttribute, .name(name)) }
        if case .complex(let type)? = schema.definition(of: declaration.type) {
            return fill(&tree, type, reference: declaration.type, given: given)
        }
        if case .builtIn(.anyType) = declaration.type {
            if isFull {
                tree.set(ElementTree.typeAttribute, .name(XMLName("string", in: KnownNamespaces.schema)))
                tree.content = [.value(.text("text"))]
            }
            return true
        }
        return fillText(&tree, declaration.type, given: given)
    }

    private mutating func fillText(_ tree: inout ElementTree, _ type: TypeReference, given: String?) -> Bool {
        if let given {
            tree.content = given.isEmpty ? [] : [.value(.text(given))]
            return true
        }
        guard let shape = schema.simpleShape(of: type), let value = simple.value(of: shape) else { return false }
        if value != .text("") { tree.content = [.value(value)] }
        return true
    }

    // MARK: Complex types

    private mutating func fill(
        _ tree: inout ElementTree, _ type: ComplexType, reference: TypeReference, given: String? = nil
    ) -> Bool {
        let place: XMLName? =
            switch reference {
            case .global(let name): name
            case .ofElement(let name): XMLName("element " + name.local, in: name.namespace)
            case .builtIn, .anonymous: nil
            }
        if let place {
            // Recursive types are expanded only where required.
            guard path.count < 100, path.count(where: { $0 == place }) < 2 else { return false }
            path.append(place)
        }
        defer { if place != nil { path.removeLast() } }
        if type.isAbstract { return fillDerived(&tree, type) }
        if let item = type.soapArrayItem { return fillArray(&tree, item) }
        guard addAttributes(of: type, to: &tree) else { return false }
        switch type.content {
        case .empty: return true
        case .simple(let content): return fillText(&tree, content, given: given)
        case .elements(let particle):
            guard let nodes = nodes(of: particle) else { return false }
            tree.content = nodes.map { .element($0) }
            return true
        }
    }

    private mutating func fillDerived(_ tree: inout ElementTree, _ type: ComplexType) -> Bool {
        guard let name = type.name else { return false }
        for derived in schema.derivations[name] ?? [] {
            guard case .complex(let concrete)? = schema.types[derived], !concrete.isAbstract else { continue }
            var attempt = ElementTree(tree.name)
            attempt.set(ElementTree.typeAttribute, .name(derived))
            if fill(&attempt, concrete, reference: .global(derived)) {
                tree = attempt
                return true
            }
        }
        return false
    }

    /// Generates two items, or none in a minimal sample (SOAP 1.1 section 5.4.2).
    private mutating func fillArray(_ tree: inout ElementTree, _ item: TypeReference) -> Bool {
        var items: [ElementTree] = []
        if isFull {
            let declaration = ElementDeclaration(
                name: XMLName("item"), type: item)
            for _ in 0..<2 { if let item = element(declaration) { items.append(item) } }
        }
        let name = item.xmlName ?? XMLName("anyType", in: KnownNamespaces.schema)
        tree.set(ElementTree.arrayTypeAttribute, .arrayType(name, count: items.count))
        tree.content = items.map { .element($0) }
        return true
    }

    private mutating func addAttributes(of type: ComplexType, to tree: inout ElementTree) -> Bool {
        for attribute in type.attributes {
            guard attribute.isRequired || (isFull && attribute.name.namespace != KnownNamespaces.xml) else { continue }
            if let given = attribute.fixedValue ?? attribute.defaultValue {
                tree.set(attribute.name, .text(given))
            } else if let shape = schema.simpleShape(of: attribute.type), let value = simple.value(of: shape) {
                tree.set(attribute.name, value)
            } else if attribute.isRequired {
                return false
            }
        }
        return true
    }

    // MARK: Particles

    /// Generates elements of a content model; `nil` if required content cannot be generated.
    private mutating func nodes(of particle: Particle) -> [ElementTree]? {
        steps += 1
        guard steps < Self.maximumStepCount else { return nil }
        let count = particle.minimum > 0 ? particle.minimum : isFull ? 1 : 0
        guard count <= 1_000 else { return nil }
        var found: [ElementTree] = []
        for _ in 0..<count {
            guard let nodes = nodesOnce(particle.term, isOptional: particle.minimum == 0) else {
                return particle.minimum == 0 ? found : nil
            }
            found += nodes
        }
        return found
    }

    private mutating func nodesOnce(_ term: Particle.Term, isOptional: Bool) -> [ElementTree]? {
        switch term {
        case .element(let declaration):
            // Optional recursion is left out, since it would make the sample confusing.
            if isOptional, isWithinItself(declaration.type) { return nil }
            return element(declaration).map { [$0] }
        case .sequence(let particles), .all(let particles):
            var found: [ElementTree] = []
            for particle in particles {
                guard let nodes = nodes(of: particle) else { return nil }
                found += nodes
            }
            return found
        case .choice(let branches):
            for branch in branches { if let nodes = nodes(of: branch) { return nodes } }
            return nil
        case .any(let wildcard): return isOptional ? nil : any(wildcard).map { [$0] }
        }
    }

    private func isWithinItself(_ reference: TypeReference) -> Bool {
        switch reference {
        case .global(let name): path.contains(name)
        case .ofElement(let name): path.contains(XMLName("element " + name.local, in: name.namespace))
        case .builtIn, .anonymous: false
        }
    }

    /// Generates an element that a wildcard allows.
    private mutating func any(_ wildcard: Wildcard) -> ElementTree? {
        if wildcard.processing == .strict {
            for name in schema.elementOrder where wildcard.allows(name.namespace) {
                guard let declaration = schema.reference(to: name), !declaration.isAbstract,
                    !isWithinItself(declaration.type)
                else { continue }
                if let tree = element(declaration) { return tree }
            }
            // With xsi:type, an element needs no declaration (XML Schema Part 1 section 3.4.4, "strict").
            var tree = anyElement(wildcard)
            tree?.set(ElementTree.typeAttribute, .name(XMLName("string", in: KnownNamespaces.schema)))
            return tree
        }
        return anyElement(wildcard)
    }

    private func anyElement(_ wildcard: Wildcard) -> ElementTree? {
        switch wildcard.namespaces {
        case .any, .other: return ElementTree(XMLName("any", in: "https://example.com/any"))
        case .only(let namespaces):
            guard let namespace = namespaces.first else { return nil }
            return ElementTree(XMLName("any-element", in: namespace))
        }
    }
}
