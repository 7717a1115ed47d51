// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A global component in its document.
final class SchemaComponent {
    let node: DocumentNode
    let schema: SchemaDocument
    /// The component that this one redefines (XML Schema Part 1 section 4.2.2).
    let redefined: SchemaComponent?
    /// The length of the chain of redefined components.
    let redefinitions: Int

    init(node: DocumentNode, schema: SchemaDocument, redefined: SchemaComponent? = nil) {
        (self.node, self.schema, self.redefined) = (node, schema, redefined)
        redefinitions = redefined.map { $0.redefinitions + 1 } ?? 0
    }
}

/// The global components of schemas, by their names.
struct SchemaComponents {
    private(set) var components: [ComponentKind: [XMLName: SchemaComponent]] = [:]
    private(set) var order: [ComponentKind: [XMLName]] = [:]
    private(set) var warnings: [DescriptionWarning] = []

    subscript(kind: ComponentKind, name: XMLName) -> SchemaComponent? { components[kind]?[name] }

    /// Adds all components of the schemas, and then the redefinitions.
    mutating func add(_ schemas: [SchemaDocument]) throws(WSDLCompilerError) {
        for schema in schemas {
            for (local, node) in schema.node.children(in: KnownNamespaces.schema) {
                if let kind = Self.kinds[local] {
                    try add(node, kind, of: schema)
                } else if !Self.others.contains(local) {
                    warnings.append(DescriptionWarning(.unknownElement(node.name), at: node.location))
                }
            }
        }
        for schema in schemas {
            for redefine in schema.node.children("redefine", in: KnownNamespaces.schema) {
                var redefined: [ComponentKind: Set<XMLName>] = [:]
                for (local, node) in redefine.children(in: KnownNamespaces.schema) {
                    guard let kind = Self.kinds[local] else { continue }
                    let name = XMLName(try node.requiredName(), in: schema.targetNamespace)
                    guard redefined[kind, default: []].insert(name).inserted else {
                        warnings.append(DescriptionWarning(.duplicate(kind, name), at: node.location))
                        continue
                    }
                    try redefineComponent(node, kind, name, of: schema)
                }
            }
        }
    }

    private static let kinds: [String: ComponentKind] = [
        "simpleType": .type, "complexType": .type, "element": .element, "attribute": .attribute, "group": .group,
        "attributeGroup": .attributeGroup,
    ]

    /// The maximum number of redefinitions of one component, which limits recursion.
    private static let maximumRedefinitionCount = 50

    private static let others: Set = ["annotation", "import", "include", "redefine", "notation"]

    private mutating func add(
        _ node: DocumentNode, _ kind: ComponentKind, of schema: SchemaDocument
    ) throws(WSDLCompilerError) {
        let name = XMLName(try node.requiredName(), in: schema.targetNamespace)
        guard components[kind]?[name] == nil else {
            warnings.append(DescriptionWarning(.duplicate(kind, name), at: node.location))
            return
        }
        components[kind, default: [:]][name] = SchemaComponent(node: node, schema: schema)
        order[kind, default: []].append(name)
    }

    private mutating func redefineComponent(
        _ node: DocumentNode, _ kind: ComponentKind, _ name: XMLName, of schema: SchemaDocument
    ) throws(WSDLCompilerError) {
        let redefined = components[kind]?[name]
        guard (redefined?.redefinitions ?? 0) < Self.maximumRedefinitionCount else {
            throw .tooComplex(node.location, limit: Self.maximumRedefinitionCount)
        }
        if redefined == nil { order[kind, default: []].append(name) }
        components[kind, default: [:]][name] = SchemaComponent(node: node, schema: schema, redefined: redefined)
    }
}
