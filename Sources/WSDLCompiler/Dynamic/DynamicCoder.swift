// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// Turns JSON into the elements of a message's Body, and back, by the model alone.
///
/// Members of objects have the local names of elements; `{namespace}local` is for elements that differ in their namespaces only, with `{}local` for no namespace, and for those
/// that a wildcard takes. Their order does not matter: elements are written in the order of the schema.
///
/// | XML | JSON |
/// |---|---|
/// | element with elements or attributes | object |
/// | attribute | member `@name`, or `@{namespace}name` |
/// | text beside attributes or in mixed content | member `#text` |
/// | element that can be repeated, list, SOAP array | array |
/// | `xsi:nil` | `null` |
/// | `xsi:type` | member `@type`, the type's local name, or with its namespace where several have it |
/// | boolean | `true`, `false` |
/// | numbers | number; `INF`, `-INF` and `NaN` are strings |
/// | QName | string, `{namespace}local` |
/// | all other values | string |
///
/// The outermost object stands for the Body's element, whose name it does not repeat; for its parts where there are several.
package struct DynamicCoder: Sendable {
    private let schema: SchemaSet

    package init(_ schema: SchemaSet) { self.schema = schema }

    /// The Body's elements as XML, in UTF-8, for a text of JSON.
    package func body(forJSON text: [UInt8], of message: Operation.Message) throws(WSDLCompilerError) -> [UInt8] {
        let elements = try elements(for: try JSONValue(parsing: text), of: message)
        return Array(elements.map { ElementTreeWriter.text(of: $0, indents: false) }.joined().utf8)
    }

    /// The Body's elements for a value of JSON.
    package func elements(
        for value: JSONValue, of message: Operation.Message
    ) throws(WSDLCompilerError) -> [ElementTree] {
        let encoder = ValueEncoder(schema: schema, isEncoded: message.isEncoded)
        switch message.body {
        case .empty: return []
        case .element(let declaration): return [try encoder.element(declaration, value, at: "$")]
        case .parts(let wrapper, let declarations):
            let particles = declarations.map { Particle(term: .element($0)) }
            let elements = try encoder.elements(of: particles, value, at: "$")
            guard let wrapper else { return elements }
            var tree = ElementTree(wrapper)
            tree.content = elements.map { .element($0) }
            return [tree]
        }
    }

    /// The text of JSON for a Body's elements.
    ///
    /// - Parameters:
    ///   - body: A document of XML whose outermost element holds those of the Body, such as the Body itself.
    ///   - message: What it is declared to hold.
    ///   - limits: What is refused for its size.
    /// - Returns: JSON over several lines.
    /// - Throws: ``WSDLCompilerError``.
    package func json(
        fromBody body: [UInt8], of message: Operation.Message, limits: XMLLimits = XMLLimits()
    ) throws(WSDLCompilerError) -> String {
        let tree: XMLTree
        do {
            tree = try XMLTree(parsing: body, limits: limits)
        } catch {
            throw .malformed(SourceLocation(document: "Body", line: 1), error)
        }
        defer { withExtendedLifetime(tree) {} }
        return try value(ofBody: tree.root, of: message).text
    }

    /// The value of JSON for a Body's elements.
    ///
    /// - Parameters:
    ///   - body: The element that holds them; its tree lives as long as this call.
    ///   - message: What it is declared to hold.
    /// - Returns: The value; `null` for an empty Body.
    /// - Throws: ``WSDLCompilerError``.
    package func value(
        ofBody body: XMLElement, of message: Operation.Message
    ) throws(WSDLCompilerError) -> JSONValue {
        let decoder = ValueDecoder(schema: schema, body: body, isEncoded: message.isEncoded)
        let children = body.children
        switch message.body {
        case .empty: return .null
        case .element(let declaration):
            guard let first = children.first else { throw .value(path: "$", .missing(name: declaration.name.local)) }
            guard first.name == declaration.name || first.name.local == declaration.name.local else {
                throw .value(path: "$", .unexpectedElement(name: first.name.description))
            }
            return try decoder.value(of: first, declaration, at: "$")
        case .parts(let wrapper, let declarations):
            let declared = DeclaredElements(declarations, in: schema)
            guard wrapper != nil else { return .object(try decoder.members(of: children, declared, at: "$")) }
            guard let first = children.first else { return .null }
            return .object(try decoder.members(of: first.children, declared, at: "$"))
        }
    }
}
