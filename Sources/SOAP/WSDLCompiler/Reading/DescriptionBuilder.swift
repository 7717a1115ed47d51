// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Builds the model of services from WSDL documents.
final class DescriptionBuilder {
    /// A message, port type or binding in its document.
    struct Component {
        var node: DocumentNode
        /// The target namespace of the document.
        var namespace: String
    }

    private let collection: DocumentCollection
    private let options: DescriptionOptions
    private let components: [ComponentKind: [XMLName: Component]]
    private let bindingOrder: [XMLName]
    let schemas: SchemaBuilder
    private var warnings: [DescriptionWarning] = []
    private var unresolved: [UnresolvedReference] = []
    /// The operations of each binding, read once, because any number of ports can share a binding.
    private var operations: [XMLName: [Operation]] = [:]

    init(_ collection: DocumentCollection, options: DescriptionOptions) throws(WSDLCompilerError) {
        (self.collection, self.options) = (collection, options)
        schemas = try SchemaBuilder(collection, options: options)
        var components: [ComponentKind: [XMLName: Component]] = [:]
        var bindingOrder: [XMLName] = []
        for definitions in collection.definitions {
            let namespace = definitions["targetNamespace"] ?? ""
            for (local, node) in definitions.children(in: KnownNamespaces.wsdl) {
                let kinds: [String: ComponentKind] = ["message": .message, "portType": .portType, "binding": .binding]
                guard let kind = kinds[local] else { continue }
                let name = XMLName(try node.requiredName(), in: namespace)
                guard components[kind]?[name] == nil else {
                    warnings.append(DescriptionWarning(.duplicate(kind, name), at: node.location))
                    continue
                }
                components[kind, default: [:]][name] = Component(node: node, namespace: namespace)
                if kind == .binding { bindingOrder.append(name) }
            }
        }
        (self.components, self.bindingOrder) = (components, bindingOrder)
    }

    func build(_ identifier: String) throws(WSDLCompilerError) -> ServiceDescription {
        try schemas.build()
        let services = try services()
        let schema = try schemas.finish()
        let unresolved = schemas.unresolved + unresolved
        guard unresolved.isEmpty || options.omitsBrokenOperations else {
            let missing = collection.missing
            throw missing.isEmpty ? .unresolved(unresolved) : .missingDocuments(missing, unresolved: unresolved)
        }
        let first = collection.definitions.first ?? collection.schemas.first?.node
        var description = ServiceDescription(
            document: identifier, targetNamespace: first?["targetNamespace"] ?? "",
            documentation: first?.documentation, services: services, schema: schema)
        let missing = collection.missing.map { DescriptionWarning(.missingDocument($0), at: $0.location) }
        let broken = unresolved.map { DescriptionWarning(.unresolved($0), at: $0.location) }
        description.warnings = schemas.warnings + warnings + missing + broken
        return description
    }

    /// The number of unresolved references so far.
    var unresolvedCount: Int { unresolved.count + schemas.unresolved.count }

    func warn(_ kind: DescriptionWarning.Kind, at node: DocumentNode) {
        warnings.append(DescriptionWarning(kind, at: node.location))
    }

    // MARK: Services

    private func services() throws(WSDLCompilerError) -> [Service] {
        var services: [Service] = []
        var bound: Set<XMLName> = []
        for definitions in collection.definitions {
            let namespace = definitions["targetNamespace"] ?? ""
            checkExtensions(at: definitions)
            for node in definitions.children("service", in: KnownNamespaces.wsdl) {
                let name = XMLName(try node.requiredName(), in: namespace)
                guard !services.contains(where: { $0.name == name }) else { continue }
                var service = Service(name: name, documentation: node.documentation, ports: [])
                for port in node.children("port", in: KnownNamespaces.wsdl) {
                    guard let found = try binding(of: port, namespace) else { continue }
                    bound.insert(found.name)
                    if let port = try self.port(port, found.name, found.component) { service.ports.append(port) }
                }
                if !service.ports.isEmpty { services.append(service) }
            }
        }
        for name in bindingOrder where !bound.contains(name) {
            guard let component = components[.binding]?[name] else { continue }
            if let port = try port(nil, name, component) {
                services.append(Service(name: name, documentation: component.node.documentation, ports: [port]))
            }
        }
        return services
    }

    /// Warns about unsupported extensions and policies.
    private func checkExtensions(at definitions: DocumentNode) {
        let required = XMLName("required", in: KnownNamespaces.wsdl)
        var hasPolicy = false
        definitions.element.forEach { element in
            let node = DocumentNode(element: element, document: definitions.document)
            let namespace = element.name.namespace
            if let value = element[required], ["true", "1"].contains(value),
                ![KnownNamespaces.soap11Binding, KnownNamespaces.soap12Binding, KnownNamespaces.mimeBinding].contains(
                    namespace)
            {
                warn(.requiredExtension(element.name), at: node)
            }
            if !hasPolicy, KnownNamespaces.policies.contains(namespace) {
                hasPolicy = true
                warn(.policy, at: node)
            }
        }
    }

    private func binding(
        of port: DocumentNode, _ namespace: String
    ) throws(WSDLCompilerError) -> (name: XMLName, component: Component)? {
        find(.binding, try port.required("binding"), at: port, namespace)
    }

    /// Returns a SOAP port; `nil` for any other port.
    private func port(
        _ node: DocumentNode?, _ name: XMLName, _ component: Component
    ) throws(WSDLCompilerError) -> Port? {
        let binding = component.node
        guard let soap = SOAPExtensions(binding: binding) else { return nil }
        if let transport = soap.transport, !transport.trimmingSpaces.lowercased().contains("http") {
            warn(.transport(transport), at: binding)
        }
        guard let portType = find(.portType, try binding.required("type"), at: binding, component.namespace) else {
            return nil
        }
        if operations[name] == nil {
            let reader = BindingReader(
                builder: self, soap: soap, namespace: component.namespace, portType: portType.component)
            operations[name] = try reader.operations(of: binding)
        }
        let operations = operations[name] ?? []
        try schemas.grow(by: operations.count, at: binding)
        let address =
            node?.children.first { $0.name == XMLName("address", in: soap.namespace) }
            ?? node?.children.first { $0.name.local == "address" }
        let endpoint = address?["location"]?.trimmingSpaces
        var port = Port(
            name: node?["name"] ?? name.local, endpoint: endpoint?.isEmpty == true ? nil : endpoint,
            version: soap.version, binding: name, portType: portType.name,
            operations: operations)
        port.documentation = node?.documentation ?? binding.documentation ?? portType.component.node.documentation
        return port
    }

    // MARK: Names

    /// Finds a message, port type or binding, and records the reference as unresolved if there is none.
    func find(
        _ kind: ComponentKind, _ text: String, at node: DocumentNode, _ namespace: String
    ) -> (name: XMLName, component: Component)? {
        if let found = lookUp(kind, text, at: node, namespace) { return found }
        unresolved.append(reference(kind, text, at: node))
        return nil
    }

    /// Finds a message, port type or binding, without recording unresolved references.
    func lookUp(
        _ kind: ComponentKind, _ text: String, at node: DocumentNode, _ namespace: String
    ) -> (name: XMLName, component: Component)? {
        let qualified = QualifiedName(text, at: node)
        let named = components[kind] ?? [:]
        if let component = named[qualified.name] { return (qualified.name, component) }
        if let prefix = qualified.undeclaredPrefix {
            let same = named.filter { $0.key.local == qualified.name.local }
            guard same.count == 1, let only = same.first else { return nil }
            warn(.undeclaredPrefix(prefix), at: node)
            return (only.key, only.value)
        }
        // Names without a prefix often mean the document's own target namespace.
        guard !text.contains(":") else { return nil }
        let other = XMLName(qualified.name.local, in: namespace)
        guard let component = named[other] else { return nil }
        warn(.otherNamespace(qualified.name, found: other), at: node)
        return (other, component)
    }

    func reference(_ kind: ComponentKind, _ text: String, at node: DocumentNode) -> UnresolvedReference {
        let name = QualifiedName(text, at: node).name
        let names = (components[kind] ?? [:]).keys.sorted { $0.description < $1.description }
        return UnresolvedReference(
            kind: kind, name: name, nearest: NearestName.of(name, in: names), location: node.location)
    }

    func recordMissing(_ reference: UnresolvedReference) {
        if !unresolved.contains(reference) { unresolved.append(reference) }
    }
}

extension ServiceDescription {
    /// Reads a description and all documents that it imports.
    ///
    /// - Parameters:
    ///   - identifier: The path or URL of a WSDL 1.1 or XML Schema document.
    ///   - source: The source of the documents.
    ///   - options: The documents that may be read, and the limits.
    /// - Returns: The services, and the schema with all references resolved.
    /// - Throws: ``WSDLCompilerError``.
    package static func read(
        _ identifier: String, from source: some DocumentSource, options: DescriptionOptions = DescriptionOptions()
    ) async throws(WSDLCompilerError) -> ServiceDescription {
        let collection = try await DocumentLoader(source: source, options: options).load(identifier)
        return try DescriptionBuilder(collection, options: options).build(identifier)
    }
}
