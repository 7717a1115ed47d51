// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Reads the Body, headers and attachments of messages (WSDL 1.1 sections 2.3, 3.5, 3.7, 5.3).
struct MessageReader {
    let builder: DescriptionBuilder
    let soap: SOAPExtensions
    /// The target namespace of the binding's document.
    let namespace: String
    let portType: DescriptionBuilder.Component
    let style: Operation.Style

    /// Reads a message of an operation; if the message is missing, records the reference and returns `nil`.
    ///
    /// `abstract` and `concrete` are the `input` or `output` elements of the port type and the binding. `wrapper` is
    /// the local name of the Body's element in rpc style.
    func message(
        _ abstract: DocumentNode, _ concrete: DocumentNode?, wrapper: String
    ) throws(WSDLCompilerError) -> Operation.Message? {
        let name = try abstract.required("message")
        guard let found = builder.find(.message, name, at: abstract, portType.namespace) else { return nil }
        let content = BoundContent(concrete, soap)
        var headerParts: [BoundHeader] = []
        for header in content.headers {
            if let header = try self.header(header) { headerParts.append(header) }
        }
        var parts = try self.parts(of: found.component.node)
        let attachments = parts.map(\.name).filter(content.attachments.contains)
        parts.removeAll { attachments.contains($0.name) }
        if let names = content.body?["parts"]?.split(whereSeparator: \.isWhitespace).map(String.init) {
            parts = parts.filter { names.contains($0.name) }
        } else {
            let ownHeaders = headerParts.filter { $0.message == found.name }.map(\.part)
            parts.removeAll { ownHeaders.contains($0.name) }
        }
        var elements: [ElementDeclaration] = []
        for part in parts { try element(of: part, found.component).map { elements.append($0) } }
        let body: Operation.Body =
            switch style {
            case .rpc: .parts(wrapper: XMLName(wrapper, in: content.body?["namespace"] ?? ""), elements)
            case .document: elements.isEmpty ? .empty : documentBody(elements)
            }
        return Operation.Message(
            name: found.name, body: body, headers: headerParts.map(\.element),
            isEncoded: content.body?["use"]?.trimmingSpaces == "encoded", attachments: attachments)
    }

    private func documentBody(_ elements: [ElementDeclaration]) -> Operation.Body {
        if elements.count == 1, let only = elements.first, only.isReference { return .element(only) }
        return .parts(wrapper: nil, elements)
    }

    /// Reads a fault's detail; `nil` if the message is missing or has no part.
    func fault(_ abstract: DocumentNode) throws(WSDLCompilerError) -> Operation.Fault? {
        let name = try abstract.required("message")
        guard let found = builder.lookUp(.message, name, at: abstract, portType.namespace) else {
            builder.warn(.missingFault(builder.reference(.message, name, at: abstract)), at: abstract)
            return nil
        }
        guard let part = try parts(of: found.component.node).first,
            let detail = try element(of: part, found.component)
        else { return nil }
        return Operation.Fault(
            name: abstract["name"] == nil ? found.name.local : try abstract.requiredName(), detail: detail)
    }

    // MARK: Parts

    private struct Part {
        var name: String
        var node: DocumentNode
    }

    private func parts(of message: DocumentNode) throws(WSDLCompilerError) -> [Part] {
        var parts: [Part] = []
        for node in message.children("part", in: KnownNamespaces.wsdl) {
            // A part counts on each use, because any number of operations can share the message.
            try builder.schemas.grow(by: 1, at: node)
            parts.append(Part(name: try node.requiredName(), node: node))
        }
        return parts
    }

    /// Returns the element of a part: the referenced element, or one made from the part's name and type.
    private func element(
        of part: Part, _ message: DescriptionBuilder.Component
    ) throws(WSDLCompilerError) -> ElementDeclaration? {
        let maker = builder.schemas.maker(at: part.node, targetNamespace: message.namespace)
        switch (part.node["element"].flatMap(\.nonempty), part.node["type"].flatMap(\.nonempty)) {
        case (let element?, nil): return try maker.reference(element, at: part.node)
        case (nil, let type?):
            let reference = maker.typeReference(type, at: part.node)
            var element = ElementDeclaration(name: XMLName(part.name), type: reference, location: part.node.location)
            element.documentation = part.node.documentation
            return element
        case (let element, _):
            throw .partType(part.node.location, part: part.name, hasBoth: element != nil)
        }
    }

    // MARK: Headers

    private struct BoundHeader {
        var message: XMLName
        var part: String
        var element: ElementDeclaration
    }

    private func header(_ node: DocumentNode) throws(WSDLCompilerError) -> BoundHeader? {
        let name = try node.required("message")
        guard let found = builder.lookUp(.message, name, at: node, namespace) else {
            builder.warn(.missingHeader(builder.reference(.message, name, at: node)), at: node)
            return nil
        }
        let partName = try node.required("part").trimmingSpaces
        guard let part = try parts(of: found.component.node).first(where: { $0.name == partName }) else {
            let reference = UnresolvedReference(
                kind: .part, name: XMLName(partName, in: found.name.namespace), location: node.location)
            builder.warn(.missingHeader(reference), at: node)
            return nil
        }
        return try element(of: part, found.component).map { element in
            BoundHeader(message: found.name, part: partName, element: element)
        }
    }
}

extension String {
    fileprivate var nonempty: String? { trimmingSpaces.isEmpty ? nil : self }
}

/// The extension elements of an `input` or `output`, inside a multipart message or not.
private struct BoundContent {
    var body: DocumentNode?
    var headers: [DocumentNode] = []
    /// The names of the message's parts that are attachments.
    var attachments: [String] = []

    init(_ node: DocumentNode?, _ soap: SOAPExtensions) {
        guard let node else { return }
        take(node, soap)
        for multipart in node.children("multipartRelated", in: KnownNamespaces.mimeBinding) {
            for part in multipart.children("part", in: KnownNamespaces.mimeBinding) {
                take(part, soap)
                for content in part.children("content", in: KnownNamespaces.mimeBinding) {
                    if let name = content["part"]?.trimmingSpaces { attachments.append(name) }
                }
            }
        }
    }

    private mutating func take(_ node: DocumentNode, _ soap: SOAPExtensions) {
        body = body ?? soap.element("body", in: node)
        headers += soap.elements("header", in: node)
    }
}
