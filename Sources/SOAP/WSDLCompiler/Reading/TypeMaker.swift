// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Makes types, elements and attributes out of the elements of one schema document.
struct TypeMaker {
    let builder: SchemaBuilder
    let schema: SchemaDocument
    /// The component that the one being made redefines, which its own name means.
    let redefined: (name: XMLName, component: SchemaComponent)?

    /// Finds a component of the schemas; where there is none, that is noted.
    func find(
        _ kind: ComponentKind, _ text: String, at node: DocumentNode
    ) -> (name: XMLName, component: SchemaComponent)? {
        let qualified = qualifiedName(text, at: node)
        if let found = builder.find(kind, qualified, at: node, targetNamespace: schema.targetNamespace) { return found }
        builder.miss(kind, qualified, at: node)
        return nil
    }

    func qualifiedName(_ text: String, at node: DocumentNode) -> QualifiedName {
        QualifiedName(text, at: node, chameleon: schema.isChameleon ? schema.targetNamespace : "")
    }

    /// The type that a name means; that of any content where nothing has the name, which is noted.
    func typeReference(_ text: String, at node: DocumentNode) -> TypeReference {
        let qualified = qualifiedName(text, at: node)
        if let builtIn = BuiltInType(qualified.name) {
            if let prefix = qualified.undeclaredPrefix { builder.warn(.undeclaredPrefix(prefix), at: node) }
            return .builtIn(builtIn)
        }
        if let found = builder.find(.type, qualified, at: node, targetNamespace: schema.targetNamespace) {
            return .global(found.name)
        }
        // Without a prefix and a default namespace, a built-in type's name is clear too.
        if qualified.name.namespace.isEmpty || qualified.name.namespace == schema.targetNamespace,
            let builtIn = BuiltInType(XMLName(qualified.name.local, in: KnownNamespaces.schema)), !text.contains(":")
        {
            let found = XMLName(qualified.name.local, in: KnownNamespaces.schema)
            builder.warn(.otherNamespace(qualified.name, found: found), at: node)
            return .builtIn(builtIn)
        }
        builder.miss(.type, qualified, at: node)
        return .builtIn(.anyType)
    }

    func occurrence(of node: DocumentNode) throws(WSDLCompilerError) -> (minimum: Int, maximum: Int?) {
        let minimum = try count(node, "minOccurs") ?? 1
        if node["maxOccurs"]?.trimmingSpaces == "unbounded" { return (minimum, nil) }
        return (minimum, max(minimum, try count(node, "maxOccurs") ?? 1))
    }

    private func count(_ node: DocumentNode, _ attribute: String) throws(WSDLCompilerError) -> Int? {
        guard let text = node[attribute] else { return nil }
        guard let count = Int(text.trimmingSpaces), count >= 0 else {
            throw .invalidValue(node.location, attribute: attribute, value: text)
        }
        return count
    }

    func flag(_ node: DocumentNode, _ attribute: String) -> Bool {
        node[attribute].map { ["true", "1"].contains($0.trimmingSpaces) } ?? false
    }
}

extension BuiltInType {
    /// The type of a name in XML Schema's namespace, or of one in SOAP's encoding that has the same values.
    init?(_ name: XMLName) {
        guard name.namespace == KnownNamespaces.schema || KnownNamespaces.isEncoding(name.namespace) else { return nil }
        if let type = BuiltInType(rawValue: name.local) {
            self = type
            return
        }
        switch name.local {
        // Names of the drafts of 1999 and 2000, and of SOAP 1.1.
        case "timeInstant": self = .dateTime
        case "timeDuration": self = .duration
        case "uriReference", "uri": self = .anyURI
        case "binary", "base64": self = .base64Binary
        case "ur-type", "Struct": self = .anyType
        case "recurringDate": self = .gMonthDay
        case "CDATA": self = .normalizedString
        // XML Schema 1.1's, where they are restrictions.
        case "dateTimeStamp": self = .dateTime
        case "dayTimeDuration", "yearMonthDuration": self = .duration
        case "anyAtomicType": self = .anySimpleType
        default: return nil
        }
    }
}
