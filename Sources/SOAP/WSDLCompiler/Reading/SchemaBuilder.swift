// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Builds the model of all schemas, with references resolved and with bases and groups expanded.
final class SchemaBuilder {
    let options: DescriptionOptions
    var components = SchemaComponents()
    private let aliases: [String: String]
    /// The components of built-in schemas, by namespace.
    private var wellKnown: [String: SchemaComponents] = [:]
    private(set) var set = SchemaSet()
    private(set) var unresolved: [UnresolvedReference] = []
    private var noted: Set<UnresolvedReference> = []
    private(set) var warnings: [DescriptionWarning] = []

    private var types: [XMLName: TypeDefinition] = [:]
    /// The total number of expanded parts, which is limited.
    private var parts = 0
    /// The names of hoisted anonymous types, by the places of their elements.
    var hoistedNames: [HoistedPlace: XMLName] = [:]
    var takenHoistedNames: Set<XMLName> = []
    var hoistedTypes: [Hoisted] = []
    /// The types, groups and elements that are being built, outermost first.
    var path: [(kind: ComponentKind, name: XMLName)] = []
    /// Referenced built-in components that are still to be built.
    private var wanted: [(kind: ComponentKind, name: XMLName)] = []
    private var wantedNames: Set<XMLName> = []
    private var wantedElements: Set<XMLName> = []

    init(_ collection: DocumentCollection, options: DescriptionOptions) throws(WSDLCompilerError) {
        self.options = options
        aliases = collection.aliases
        try components.add(collection.schemas)
        warnings = collection.warnings + components.warnings
    }

    /// Builds all global components.
    func build() throws(WSDLCompilerError) {
        for name in components.order[.type] ?? [] {
            set.types[name] = try type(name)
            set.typeOrder.append(name)
        }
        for name in components.order[.element] ?? [] { try addElement(name) }
    }

    /// Builds the referenced built-in components and the hoisted types, and collects substitution groups
    /// and derived types.
    func finish() throws(WSDLCompilerError) -> SchemaSet {
        while true {
            if let (kind, name) = wanted.popLast() {
                if kind == .element {
                    try addElement(name)
                } else {
                    set.types[name] = try type(name)
                    set.typeOrder.append(name)
                }
            } else if let hoisted = hoistedTypes.popLast() {
                try add(hoisted)
            } else {
                break
            }
        }
        try collectSubstitutions()
        try collectDerivations()
        return set
    }

    /// Counts expanded parts, of which there can be many more than the documents contain.
    func grow(by count: Int, at node: DocumentNode) throws(WSDLCompilerError) {
        parts += count
        try limit(parts, at: node)
    }

    func limit(_ count: Int, at node: DocumentNode) throws(WSDLCompilerError) {
        if count > options.maximumPartCount { throw .tooComplex(node.location, limit: options.maximumPartCount) }
    }

    func warn(_ kind: DescriptionWarning.Kind, at node: DocumentNode) {
        warnings.append(DescriptionWarning(kind, at: node.location))
    }

    func forgetWarnings(after count: Int) { warnings.removeSubrange(count...) }

    // MARK: Names

    /// Finds the component that a name refers to, with warnings for tolerated errors.
    ///
    /// - Returns: The component and its actual name; `nil` if none is declared.
    func find(
        _ kind: ComponentKind, _ qualified: QualifiedName, at node: DocumentNode, targetNamespace: String
    ) -> (name: XMLName, component: SchemaComponent)? {
        let name = qualified.name
        if qualified.undeclaredPrefix == nil || !name.namespace.isEmpty, let component = component(kind, name) {
            if let prefix = qualified.undeclaredPrefix { warn(.undeclaredPrefix(prefix), at: node) }
            return (name, component)
        }
        if let prefix = qualified.undeclaredPrefix {
            let named = (components.order[kind] ?? []).filter { $0.local == name.local }
            if named.count == 1, let component = component(kind, named[0]) {
                warn(.undeclaredPrefix(prefix), at: node)
                return (named[0], component)
            }
        } else {
            for namespace in [aliases[name.namespace], name.namespace.isEmpty ? targetNamespace : nil, ""] {
                guard let other = namespace.map({ XMLName(name.local, in: $0) }), other != name,
                    let component = component(kind, other)
                else { continue }
                warn(.otherNamespace(name, found: other), at: node)
                return (other, component)
            }
        }
        return nil
    }

    /// Returns the named component from the documents, or else from a built-in schema.
    func component(_ kind: ComponentKind, _ name: XMLName) -> SchemaComponent? {
        if let component = components[kind, name] { return component }
        guard let component = wellKnownComponents(of: name.namespace)?[kind, name] else { return nil }
        let isNew =
            switch kind {
            case .type: wantedNames.insert(name).inserted
            case .element: wantedElements.insert(name).inserted
            default: false
            }
        if isNew { wanted.append((kind, name)) }
        return component
    }

    private func wellKnownComponents(of namespace: String) -> SchemaComponents? {
        if let known = wellKnown[namespace] { return known }
        guard let text = WellKnownSchemas.texts[namespace],
            let tree = try? XMLTree(parsing: Array(text.utf8), limits: XMLLimits())
        else { return nil }
        let document = LoadedDocument(reference: DocumentReference(namespace), tree: tree)
        var known = SchemaComponents()
        try? known.add([SchemaDocument(node: document.root, including: nil)])
        wellKnown[namespace] = known
        return known
    }

    func recordMissing(_ kind: ComponentKind, _ qualified: QualifiedName, at node: DocumentNode) {
        var reference = UnresolvedReference(kind: kind, name: qualified.name, location: node.location)
        guard noted.insert(reference).inserted else { return }
        // One missing document can leave thousands of references unresolved, and the search for similar names is slow.
        if unresolved.count < 20 {
            reference.nearest = NearestName.of(qualified.name, in: components.order[kind] ?? [])
        }
        unresolved.append(reference)
    }

    // MARK: Global components

    /// Returns a global type, which is built once.
    func type(_ name: XMLName) throws(WSDLCompilerError) -> TypeDefinition {
        if let type = types[name] { return type }
        guard let component = component(.type, name) else { preconditionFailure("found before") }
        try enter(.type, name, at: component.node)
        defer { path.removeLast() }
        let type = try definition(component, name)
        types[name] = type
        return type
    }

    /// Builds the type of a component, for itself or for a component that redefines it.
    func definition(_ component: SchemaComponent, _ name: XMLName) throws(WSDLCompilerError) -> TypeDefinition {
        let maker = TypeMaker(
            builder: self, schema: component.schema, redefined: component.redefined.map { (name, $0) })
        return component.node.name.local == "simpleType"
            ? .simple(try maker.simpleType(component.node, name: name))
            : .complex(try maker.complexType(component.node, name: name))
    }

    /// Pushes a component on the path; throws if that component is already being built.
    func enter(_ kind: ComponentKind, _ name: XMLName, at node: DocumentNode) throws(WSDLCompilerError) {
        guard path.count < 200, !path.contains(where: { $0.kind == kind && $0.name == name }) else {
            throw .circular(node.location, kind, name)
        }
        path.append((kind, name))
    }

    private func addElement(_ name: XMLName) throws(WSDLCompilerError) {
        guard let component = component(.element, name) else { return }
        let maker = TypeMaker(builder: self, schema: component.schema, redefined: nil)
        set.elements[name] = try maker.globalElement(component.node, name: name)
        set.elementOrder.append(name)
    }

    private func add(_ hoisted: Hoisted) throws(WSDLCompilerError) {
        guard let type = try hoisted.maker.anonymousType(of: hoisted.node) else { return }
        set.elements[hoisted.name] = ElementDeclaration(
            name: hoisted.name, type: type, location: hoisted.node.location)
        set.hoistedOrder.append(hoisted.name)
    }

    private func collectSubstitutions() throws(WSDLCompilerError) {
        var direct: [XMLName: [XMLName]] = [:]
        for name in set.elementOrder {
            guard let component = component(.element, name), let text = component.node["substitutionGroup"] else {
                continue
            }
            let maker = TypeMaker(builder: self, schema: component.schema, redefined: nil)
            if let head = maker.find(.element, text, at: component.node) { direct[head.name, default: []].append(name) }
        }
        let order = Dictionary(uniqueKeysWithValues: set.elementOrder.enumerated().map { ($0.element, $0.offset) })
        for head in direct.keys {
            var members: Set<XMLName> = []
            var pending = [head]
            while let next = pending.popLast() {
                for member in direct[next] ?? [] where member != head && members.insert(member).inserted {
                    pending.append(member)
                }
            }
            if let component = component(.element, head) { try grow(by: members.count, at: component.node) }
            set.substitutions[head] = members.sorted { order[$0, default: 0] < order[$1, default: 0] }
        }
    }

    private func collectDerivations() throws(WSDLCompilerError) {
        for name in set.typeOrder {
            guard let component = component(.type, name) else { continue }
            var base = baseName(of: name)
            var seen: Set = [name]
            while let current = base, seen.insert(current).inserted {
                try grow(by: 1, at: component.node)
                set.derivations[current, default: []].append(name)
                base = baseName(of: current)
            }
        }
    }

    private func baseName(of name: XMLName) -> XMLName? {
        guard case .complex(let type)? = set.types[name] else { return nil }
        return type.base?.name
    }
}

extension SchemaBuilder {
    /// Returns a maker that resolves names in a WSDL document.
    func maker(at node: DocumentNode, targetNamespace: String) -> TypeMaker {
        TypeMaker(
            builder: self, schema: SchemaDocument(node: node, targetNamespace: targetNamespace), redefined: nil)
    }
}

extension SchemaBuilder {
    /// A local element whose anonymous type is built separately.
    struct Hoisted {
        /// The name that represents the type in ``SchemaSet/elements``.
        var name: XMLName
        var node: DocumentNode
        var maker: TypeMaker
    }

    /// The place of a local element in a schema that is read for a target namespace.
    struct HoistedPlace: Hashable {
        var element: XMLElement
        var targetNamespace: String
    }

    /// Builds the anonymous type of a local element.
    ///
    /// A group, or a type that is extended, may contain itself inside an element (XML Schema Part 1 section 3.8.6). The
    /// element's type is then hoisted: it is built once, as if the element were global, and referred to.
    func anonymousType(of node: DocumentNode, by maker: TypeMaker) throws(WSDLCompilerError) -> TypeReference? {
        let place = HoistedPlace(element: node.element, targetNamespace: maker.schema.targetNamespace)
        if let name = hoistedNames[place] { return .ofElement(name) }
        let outer = path.count
        let known = warnings.count
        do {
            return try maker.anonymousType(of: node)
        } catch .circular(let location, let kind, let name) {
            guard path.prefix(outer).contains(where: { $0.kind == kind && $0.name == name }), let around = path.last
            else {
                throw .circular(location, kind, name)
            }
            // Building the hoisted type repeats these warnings.
            forgetWarnings(after: known)
            let hoisted = hoistedName(try node.requiredName(), in: around.name)
            hoistedNames[place] = hoisted
            hoistedTypes.append(Hoisted(name: hoisted, node: node, maker: maker))
            return .ofElement(hoisted)
        }
    }

    private func hoistedName(_ local: String, in component: XMLName) -> XMLName {
        let name = XMLName("\(component.local) \(local)", in: component.namespace)
        guard takenHoistedNames.insert(name).inserted else {
            return XMLName("\(name.local) \(hoistedNames.count + 1)", in: name.namespace)
        }
        return name
    }
}
