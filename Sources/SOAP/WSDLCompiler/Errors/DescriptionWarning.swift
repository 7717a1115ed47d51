// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// A flaw of a description that does not keep it from being used.
package struct DescriptionWarning: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A prefix is not declared, and its usual namespace was taken, or that of the only component of the name.
        case undeclaredPrefix(String)
        /// A name has another namespace than the component, whose meaning is clear.
        case otherNamespace(XMLName, found: XMLName)
        /// An imported document has another target namespace than the import names.
        case namespaceMismatch(expected: String, found: String)
        /// Nothing that is used depends on a document that is missing.
        case missingDocument(MissingDocument)
        /// An extension says that it has to be understood, and it is not.
        case requiredExtension(XMLName)
        /// The service has a policy, which is not read.
        case policy
        /// An element of XML Schema is not one, or stands where it cannot.
        case unknownElement(XMLName)
        /// A name is declared twice; the first declaration counts.
        case duplicate(ComponentKind, XMLName)
        /// A header's message or part is missing, and the header was left out.
        case missingHeader(UnresolvedReference)
        /// A fault's message is missing, and the fault was left out.
        case missingFault(UnresolvedReference)
        /// A binding uses another transport than HTTP.
        case transport(String)
        /// An operation of the port type is not one of the binding, or the other way round.
        case unboundOperation(String)
        /// A type is derived from a simple one as if it were complex.
        case simpleBase(XMLName)
        /// The service sends the operation's message by itself, which a client cannot call.
        case notification(String)
        /// Nothing declares what a reference names, and the operations that need it are left out.
        case unresolved(UnresolvedReference)
        /// The document is in a draft of XML Schema.
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
        case .policy: "the policy (WS-Policy) is not read; set the security that it asks for yourself"
        case .unknownElement(let name): "\(name) cannot stand here and is ignored"
        case .duplicate(let kind, let name): "the \(kind.rawValue) \(name) is declared a second time; the first counts"
        case .missingHeader(let reference):
            "a header is left out, because there is no \(reference.kind.rawValue) \(reference.name)"
        case .missingFault(let reference): "a fault is left out, because there is no message \(reference.name)"
        case .transport(let uri): "the transport \(uri) is not HTTP"
        case .unboundOperation(let name): "the operation \(name) is missing in the port type and left out"
        case .simpleBase(let name): "\(name) is simple, and the derivation is read as simpleContent"
        case .notification(let name): "the operation \(name) has no input and is left out"
        case .unresolved(let reference): "there is no \(reference.kind.rawValue) \(reference.name)"
        case .oldSchema(let namespace): "\(namespace) is a draft of XML Schema, and is read like it"
        }
    }
}
