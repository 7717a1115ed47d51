// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A global component as its document has it.
final class SchemaComponent {
    let node: DocumentNode
    let schema: SchemaDocument
    /// What it redefines (XML Schema Part 1 section 4.2.2).
    let redefined: SchemaComponent?

    init(node: DocumentNode, schema: SchemaDocument, redefined: SchemaComponent? = nil) {
        (self.node, self.schema, self.redefined) = (node, schema, redefined)
    }
}

/// The global components of schemas, by their names.
struct SchemaComponents {
    private(set) var components: [ComponentKind: [XMLName: SchemaComponent]] = [:]
    private(set) var order: [ComponentKind: [XMLName]] = [:]
    private(set) var warnings: [DescriptionWarning] = []

    subscript(kind: ComponentKind, name: XMLName) -> SchemaComponent? { components[kind]?[name] }

    /// Adds all of the schemas, and then what they redefine.
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
                for (local, node) in redefine.children(in: KnownNamespaces.schema) {
                    if let kind = Self.kinds[local] { try redefineComponent(node, kind, of: schema) }
                }
            }
        }
    }

    private static let kinds: [String: ComponentKind] = [
        "simpleType": .type, "complexType": .type, "element": .element, "attribute": .attribute, "group": .group,
        "attributeGroup": .attributeGroup,
    ]

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
        _ node: DocumentNode, _ kind: ComponentKind, of schema: SchemaDocument
    ) throws(WSDLCompilerError) {
        let name = XMLName(try node.requiredName(), in: schema.targetNamespace)
        let redefined = components[kind]?[name]
        if redefined == nil { order[kind, default: []].append(name) }
        components[kind, default: [:]][name] = SchemaComponent(node: node, schema: schema, redefined: redefined)
    }
}
