// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Reads a document and all documents that it imports and includes, each once.
final class DocumentLoader<Source: DocumentSource> {
    /// A document that is still to be read.
    private struct Request {
        enum Kind { case description, wsdlImport, schemaImport, include }

        var reference: DocumentReference
        var kind: Kind
        /// The namespace that the import declares.
        var namespace: String?
        /// The target namespace of the including schema.
        var targetNamespace: String?
        var location: SourceLocation
        /// Whether the referring document was fetched over a network, and so must not refer to local files.
        var isFromRemote = false
    }

    private struct SchemaKey: Hashable {
        var document: DocumentReference
        var targetNamespace: String
    }

    private let source: Source
    private let options: DescriptionOptions
    private var loaded: [DocumentReference: LoadedDocument] = [:]
    private var failed: [DocumentReference: MissingDocument.Cause] = [:]
    private var read: Set<SchemaKey> = []
    private var readDefinitions: Set<DocumentReference> = []
    private var requests: [Request] = []
    private var bytes = 0
    private(set) var collection = DocumentCollection()

    init(source: Source, options: DescriptionOptions) { (self.source, self.options) = (source, options) }

    /// Loads a document and everything that it refers to.
    func load(_ identifier: String) async throws(WSDLCompilerError) -> DocumentCollection {
        let first = DocumentReference(identifier)
        let location = SourceLocation(document: identifier, line: 1)
        requests = [Request(reference: first, kind: .description, location: location)]
        var next = 0
        while next < requests.count {
            let request = requests[next]
            next += 1
            if let document = try await document(request, origin: first.origin) {
                try take(document.root, request)
            } else if next == 1 {
                guard case .source(let problem)? = failed[first] else { break }
                throw .unreadable(document: identifier, problem: problem)
            }
        }
        return collection
    }

    /// Returns the requested document; if it cannot be read, records the failure and returns `nil`.
    private func document(
        _ request: Request, origin: String?
    ) async throws(WSDLCompilerError) -> LoadedDocument? {
        let reference = request.reference
        if let document = loaded[reference] { return document }
        if let cause = failed[reference] {
            recordMissing(request, cause)
            return nil
        }
        if let cause = refusal(request, origin: origin) {
            recordMissing(request, cause)
            return nil
        }
        let bytes: [UInt8]
        do {
            bytes = try await source.document(at: reference.identifier)
        } catch {
            recordMissing(request, .source(problem: "\(error)"))
            return nil
        }
        self.bytes += bytes.count
        guard loaded.count < options.maximumDocumentCount, self.bytes <= options.maximumByteCount else {
            throw .tooManyDocuments(request.location, limit: options.maximumDocumentCount)
        }
        let document = LoadedDocument(reference: reference, tree: try parse(bytes, reference))
        loaded[reference] = document
        return document
    }

    private func refusal(_ request: Request, origin: String?) -> MissingDocument.Cause? {
        let reference = request.reference
        if request.kind == .description || options.catalogue.values.contains(reference.identifier) { return nil }
        if !reference.isRemote { return request.isFromRemote ? .local : nil }
        return options.remoteDocuments == .all || reference.origin == origin ? nil : .remote
    }

    private func parse(_ bytes: [UInt8], _ reference: DocumentReference) throws(WSDLCompilerError) -> XMLTree {
        do {
            return try XMLTree(parsing: bytes, limits: options.limits)
        } catch {
            var line = 1
            if case .malformed(let at, _) = error { line = max(1, at) }
            throw .malformed(SourceLocation(document: reference.identifier, line: line), error)
        }
    }

    private func recordMissing(_ request: Request, _ cause: MissingDocument.Cause) {
        failed[request.reference] = cause
        // Built-in schemas need no document.
        if let namespace = request.namespace, WellKnownSchemas.texts[namespace] != nil { return }
        collection.missing.append(
            MissingDocument(
                document: request.reference.identifier, namespace: request.namespace, location: request.location,
                cause: cause))
    }

    private func take(_ root: DocumentNode, _ request: Request) throws(WSDLCompilerError) {
        switch root.name {
        case XMLName("definitions", in: KnownNamespaces.wsdl): takeDefinitions(root, request)
        case XMLName("schema", in: KnownNamespaces.schema): takeSchema(root, request)
        default: throw .notDescription(root.location, root: root.element.name)
        }
    }

    private func takeDefinitions(_ root: DocumentNode, _ request: Request) {
        // An xs:import of a WSDL document imports the schemas in that document.
        let includesDefinitions = request.kind == .description || request.kind == .wsdlImport
        if includesDefinitions, readDefinitions.insert(root.document.reference).inserted {
            collection.definitions.append(root)
            for node in root.children("import", in: KnownNamespaces.wsdl) {
                ask(for: node["location"], .wsdlImport, namespace: node["namespace"], at: node)
            }
        }
        guard read.insert(SchemaKey(document: root.document.reference, targetNamespace: "")).inserted else { return }
        // Some documents write "types" without the WSDL namespace.
        for types in root.children where types.name.local == "types" {
            for schema in types.children where schema.name == XMLName("schema", in: KnownNamespaces.schema) {
                add(SchemaDocument(node: schema, including: nil))
            }
        }
    }

    private func takeSchema(_ root: DocumentNode, _ request: Request) {
        let schema = SchemaDocument(node: root, including: request.targetNamespace)
        if request.kind == .schemaImport || request.kind == .wsdlImport, let expected = request.namespace,
            expected != schema.targetNamespace
        {
            collection.aliases[expected] = schema.targetNamespace
            if request.kind == .schemaImport {
                let kind = DescriptionWarning.Kind.namespaceMismatch(expected: expected, found: schema.targetNamespace)
                collection.warnings.append(DescriptionWarning(kind, at: request.location))
            }
        }
        let key = SchemaKey(document: root.document.reference, targetNamespace: schema.targetNamespace)
        guard read.insert(key).inserted else { return }
        add(schema)
    }

    private func add(_ schema: SchemaDocument) {
        collection.schemas.append(schema)
        if KnownNamespaces.draftSchemas.contains(schema.node.element.name.namespace) {
            let kind = DescriptionWarning.Kind.oldSchema(schema.node.element.name.namespace)
            collection.warnings.append(DescriptionWarning(kind, at: schema.node.location))
        }
        for (local, node) in schema.node.children(in: KnownNamespaces.schema) {
            switch local {
            case "import": ask(for: node["schemaLocation"], .schemaImport, namespace: node["namespace"] ?? "", at: node)
            case "include", "redefine":
                ask(for: node["schemaLocation"], .include, including: schema.targetNamespace, at: node)
            default: continue
            }
        }
    }

    private func ask(
        for location: String?, _ kind: Request.Kind, namespace: String? = nil, including: String? = nil,
        at node: DocumentNode
    ) {
        let base = node.document.reference
        let resolved = location.map(base.resolve)
        let catalogued = [location, resolved?.identifier, namespace].compactMap { $0.flatMap { options.catalogue[$0] } }
        guard let reference = catalogued.first.map(DocumentReference.init) ?? resolved else { return }
        requests.append(
            Request(
                reference: reference, kind: kind, namespace: namespace, targetNamespace: including,
                location: node.location, isFromRemote: base.isRemote))
    }
}

/// All documents of a description.
struct DocumentCollection {
    /// The `definitions` elements, beginning with the requested document's.
    var definitions: [DocumentNode] = []
    var schemas: [SchemaDocument] = []
    var missing: [MissingDocument] = []
    var warnings: [DescriptionWarning] = []
    /// The actual target namespace of an imported document, by the namespace that the import declares.
    var aliases: [String: String] = [:]
}

/// A parsed document.
final class LoadedDocument {
    let reference: DocumentReference
    let tree: XMLTree

    init(reference: DocumentReference, tree: XMLTree) { (self.reference, self.tree) = (reference, tree) }

    var root: DocumentNode { DocumentNode(element: tree.root, document: self) }
}
