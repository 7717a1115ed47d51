// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Reads the operations of a binding together with those of its port type (WSDL 1.1 sections 2.4, 2.5, 3.3 to 3.7).
struct BindingReader {
    typealias Found = DescriptionBuilder.Component

    let builder: DescriptionBuilder
    let soap: SOAPExtensions
    /// The target namespace of the binding's document.
    let namespace: String
    let portType: Found

    func operations(of binding: DocumentNode) throws(WSDLCompilerError) -> [Operation] {
        let abstract = portType.node.children("operation", in: KnownNamespaces.wsdl)
        let named = Dictionary(grouping: abstract.indices) { abstract[$0]["name"]?.trimmingSpaces }
        var operations: [Operation] = []
        var used: Set<Int> = []
        for node in binding.children("operation", in: KnownNamespaces.wsdl) {
            let name = try node.requiredName()
            let candidates = (named[name] ?? []).filter { !used.contains($0) }
            let index = candidates.first { matches(abstract[$0], node) } ?? candidates.first
            guard let index else {
                builder.warn(.unboundOperation(name), at: node)
                continue
            }
            used.insert(index)
            let previousUnresolvedCount = builder.unresolvedCount
            guard let operation = try operation(name, node, abstract[index]),
                builder.unresolvedCount == previousUnresolvedCount
            else {
                continue
            }
            operations.append(operation)
        }
        return operations
    }

    /// Returns whether two operations have the same input and output names, which distinguish overloads (section 2.5).
    private func matches(_ abstract: DocumentNode, _ concrete: DocumentNode) -> Bool {
        ["input", "output"].allSatisfy { local in
            guard let name = concrete.children(local, in: KnownNamespaces.wsdl).first?["name"] else { return true }
            let other = abstract.children(local, in: KnownNamespaces.wsdl).first?["name"]
            let suffix = local == "input" ? "Request" : "Response"
            return name == other ?? (abstract["name"] ?? "") + suffix
        }
    }

    private func operation(
        _ name: String, _ concrete: DocumentNode, _ abstract: DocumentNode
    ) throws(WSDLCompilerError) -> Operation? {
        let extensionElement = soap.element("operation", in: concrete)
        let style = extensionElement?["style"].map { $0.trimmingSpaces == "rpc" ? Operation.Style.rpc : .document }
        let messages = MessageReader(
            builder: builder, soap: soap, namespace: namespace, portType: portType, style: style ?? soap.style)
        guard let inputNode = abstract.children("input", in: KnownNamespaces.wsdl).first else {
            // A client cannot call a notification operation (section 2.4.4).
            builder.warn(.notification(name), at: abstract)
            return nil
        }
        let input = try messages.message(
            inputNode, concrete.children("input", in: KnownNamespaces.wsdl).first, wrapper: name)
        let output = try abstract.children("output", in: KnownNamespaces.wsdl).first.map {
            node throws(WSDLCompilerError) in
            try messages.message(
                node, concrete.children("output", in: KnownNamespaces.wsdl).first, wrapper: name + "Response")
        }
        guard let input else { return nil }
        if output != nil, output.flatMap({ $0 }) == nil { return nil }
        var operation = Operation(
            name: name, documentation: abstract.documentation ?? concrete.documentation,
            action: extensionElement?["soapAction"]?.trimmingSpaces ?? "", style: style ?? soap.style, input: input,
            output: output.flatMap { $0 }, faults: [], location: concrete.location)
        for fault in abstract.children("fault", in: KnownNamespaces.wsdl) {
            if let fault = try messages.fault(fault) { operation.faults.append(fault) }
        }
        return operation
    }
}

/// The SOAP extension elements of a binding (WSDL 1.1 section 3).
struct SOAPExtensions {
    let version: Port.Version
    /// The namespace of the extension elements.
    let namespace: String
    let style: Operation.Style
    let transport: String?

    /// Returns `nil` for a binding to another protocol, such as plain HTTP.
    init?(binding: DocumentNode) {
        let versions: [(String, Port.Version)] = [
            (KnownNamespaces.soap12Binding, .soap12), (KnownNamespaces.soap11Binding, .soap11),
        ]
        for (namespace, version) in versions {
            guard let soap = binding.children("binding", in: namespace).first else { continue }
            (self.namespace, self.version) = (namespace, version)
            style = soap["style"]?.trimmingSpaces == "rpc" ? .rpc : .document
            transport = soap["transport"]
            return
        }
        return nil
    }

    /// Returns the extension element with a name; if the binding's SOAP version has none, that of the other version,
    /// since some services mix the two.
    func element(_ local: String, in node: DocumentNode) -> DocumentNode? {
        elements(local, in: node).first
    }

    func elements(_ local: String, in node: DocumentNode) -> [DocumentNode] {
        let own = node.children(local, in: namespace)
        guard own.isEmpty else { return own }
        let other = version == .soap12 ? KnownNamespaces.soap11Binding : KnownNamespaces.soap12Binding
        return node.children(local, in: other)
    }
}
