// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// A problem of a description that does not prevent its use.
package struct DescriptionWarning: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A prefix is undeclared; its conventional namespace was used, or that of the only component with the
        /// local name.
        case undeclaredPrefix(String)
        /// A reference names a component in the wrong namespace, but its target is unambiguous.
        case otherNamespace(XMLName, found: XMLName)
        /// The target namespace of an imported document differs from the namespace that the import declares.
        case namespaceMismatch(expected: String, found: String)
        /// A document is missing, but nothing in use depends on it.
        case missingDocument(MissingDocument)
        /// An extension is marked as required (`wsdl:required`), but is not supported.
        case requiredExtension(XMLName)
        /// The service has a policy, which is ignored.
        case policy
        /// An element in the XML Schema namespace is unknown or misplaced.
        case unknownElement(XMLName)
        /// A name is declared twice; the first declaration counts.
        case duplicate(ComponentKind, XMLName)
        /// A header's message or part is missing, and the header was left out.
        case missingHeader(UnresolvedReference)
        /// A fault's message is missing, and the fault was left out.
        case missingFault(UnresolvedReference)
        /// A binding uses a transport other than HTTP.
        case transport(String)
        /// An operation occurs only in the port type or only in the binding.
        case unboundOperation(String)
        /// A type is derived from a simple type as if the base were complex.
        case simpleBase(XMLName)
        /// The operation is a notification: the service sends its message, and a client cannot call it.
        case notification(String)
        /// A reference has no declared target, and the operations that need it are left out.
        case unresolved(UnresolvedReference)
        /// The document uses a draft of XML Schema.
        case oldSchema(String)
    }

    package var location: SourceLocation
    package var kind: Kind

    package init(_ kind: Kind, at location: SourceLocation) { (self.kind, self.location) = (kind, location) }
}

extension DescriptionWarning: CustomStringConvertible {
    package var description: String { "\(location): \(text)" }

    private var text: String {
        switch kind {
        case .undeclaredPrefix(let prefix): "the prefix \(prefix) is not declared"
        case .otherNamespace(let name, let found): "there is no \(name); \(found) is used"
        case .namespaceMismatch(let expected, let found):
            "the import names the namespace \"\(expected)\", but the document has \"\(found)\""
        case .missingDocument(let missing): "\(missing.document) was not read, and nothing that is used needs it"
        case .requiredExtension(let name): "the extension \(name) is required, but it is not supported"
        case .policy: "the policy (WS-Policy) is not read; configure the required security yourself"
        case .unknownElement(let name): "\(name) is not allowed here and is ignored"
        case .duplicate(let kind, let name): "the \(kind.rawValue) \(name) is declared a second time; the first is used"
        case .missingHeader(let reference):
            "a header is left out, because there is no \(reference.kind.rawValue) \(reference.name)"
        case .missingFault(let reference): "a fault is left out, because there is no message \(reference.name)"
        case .transport(let uri): "the transport \(uri) is not HTTP"
        case .unboundOperation(let name): "the operation \(name) is missing in the port type and left out"
        case .simpleBase(let name): "\(name) is simple, and the derivation is read as simpleContent"
        case .notification(let name): "the operation \(name) has no input and is left out"
        case .unresolved(let reference): "there is no \(reference.kind.rawValue) \(reference.name)"
        case .oldSchema(let namespace): "\(namespace) is a draft of XML Schema, and is read as the final version"
        }
    }
}
