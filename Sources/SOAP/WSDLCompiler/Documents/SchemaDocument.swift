// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A `schema` element, in a file or in a WSDL document, for one target namespace.
///
/// A file without a namespace that others include has the namespace of each (a chameleon, XML Schema Part 1 section 4.2.1).
final class SchemaDocument {
    let node: DocumentNode
    let targetNamespace: String
    /// Whether its names without a prefix are of the including document's namespace.
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

    /// What a document of WSDL is, as far as names go.
    init(node: DocumentNode, targetNamespace: String) {
        (self.node, self.targetNamespace) = (node, targetNamespace)
        (isChameleon, qualifiesElements, qualifiesAttributes) = (false, false, false)
    }
}
