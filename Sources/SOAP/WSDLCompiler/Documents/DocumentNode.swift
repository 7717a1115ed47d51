// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// An element together with its document, which it retains.
struct DocumentNode {
    let element: XMLElement
    let document: LoadedDocument

    /// The element's name.
    ///
    /// The namespaces of XML Schema drafts are replaced with the current one, and an undeclared prefix has its
    /// conventional namespace.
    var name: XMLName {
        let name = element.name
        if name.namespace == KnownNamespaces.schema || name.namespace == KnownNamespaces.wsdl { return name }
        if KnownNamespaces.draftSchemas.contains(name.namespace) {
            return XMLName(name.local, in: KnownNamespaces.schema)
        }
        guard name.namespace.isEmpty, let colon = name.local.firstIndex(of: ":"),
            let namespace = KnownNamespaces.conventional[String(name.local[..<colon])]
        else { return name }
        return XMLName(String(name.local[name.local.index(after: colon)...]), in: namespace)
    }

    var location: SourceLocation { SourceLocation(document: document.reference.identifier, line: element.line) }

    var children: [DocumentNode] { element.children.map { DocumentNode(element: $0, document: document) } }

    /// Returns the child elements in a namespace, with their local names.
    func children(in namespace: String) -> [(local: String, node: DocumentNode)] {
        children.compactMap { node in
            let name = node.name
            return name.namespace == namespace ? (name.local, node) : nil
        }
    }

    func children(_ local: String, in namespace: String) -> [DocumentNode] {
        children(in: namespace).filter { $0.local == local }.map(\.node)
    }

    /// The value of an attribute without a namespace.
    subscript(attribute: String) -> String? { element.attribute(attribute, in: "") }

    func required(_ attribute: String) throws(WSDLCompilerError) -> String {
        guard let value = self[attribute] else {
            throw .missingAttribute(location, element: name.local, attribute: attribute)
        }
        return value
    }

    /// Returns the value of the `name` attribute, which must be a name without a colon (Namespaces in XML 1.0, NCName).
    ///
    /// Names are copied into comments of the generated source, and other characters could end the comment.
    func requiredName() throws(WSDLCompilerError) -> String {
        let name = try required("name").trimmingSpaces
        guard name.isXMLName else { throw .invalidValue(location, attribute: "name", value: name) }
        return name
    }

    /// The text of the `documentation` elements, inside or outside `annotation` elements.
    var documentation: String? {
        let annotations = children(in: KnownNamespaces.schema).filter { $0.local == "annotation" }.map(\.node)
        let documentations =
            annotations.flatMap { $0.children("documentation", in: KnownNamespaces.schema) }
            + children("documentation", in: KnownNamespaces.wsdl)
        let texts = documentations.map { $0.element.allText.normalizingSpaces }.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
    }
}

extension String {
    var trimmingSpaces: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    /// The text without trailing spaces, with single spaces between words and at most one consecutive empty line.
    fileprivate var normalizingSpaces: String {
        var lines: [String] = []
        for line in split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !words.isEmpty || lines.last.map({ !$0.isEmpty }) ?? false { lines.append(words) }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

/// A `schema` element of a schema or WSDL document, read for one target namespace.
///
/// An included schema without a target namespace takes that of each including schema (chameleon include, XML Schema
/// Part 1 section 4.2.1).
final class SchemaDocument {
    let node: DocumentNode
    let targetNamespace: String
    /// Whether names without a prefix are in the including document's namespace.
    let isChameleon: Bool
    let qualifiesElements: Bool
    let qualifiesAttributes: Bool

    init(node: DocumentNode, including: String?) {
        self.node = node
        let own = node["targetNamespace"] ?? ""
        targetNamespace = own.isEmpty ? including ?? "" : own
        isChameleon = own.isEmpty && targetNamespace != ""
        qualifiesElements = node["elementFormDefault"]?.trimmingSpaces == "qualified"
        qualifiesAttributes = node["attributeFormDefault"]?.trimmingSpaces == "qualified"
    }

    /// Creates a context in which the names in a WSDL document are resolved.
    init(node: DocumentNode, targetNamespace: String) {
        (self.node, self.targetNamespace) = (node, targetNamespace)
        (isChameleon, qualifiesElements, qualifiesAttributes) = (false, false, false)
    }
}
