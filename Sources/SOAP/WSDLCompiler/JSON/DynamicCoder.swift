// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Encodings
package import XMLDocuments

/// Converts JSON to the elements of a message's Body, and back, using only the model.
///
/// Member names are the local names of elements. Names of the form `{namespace}local`, with `{}local` for no
/// namespace, distinguish elements with the same local name, and identify elements that a wildcard allows. The order of
/// members does not matter: elements are written in the order of the schema. If the schema repeats a group of several
/// elements, and in mixed content, the member `#content` contains the elements and texts in their order.
///
/// In both directions, the types of `XMLValues` check values and facets against the schema, and ``ContentMatcher``
/// checks the order of elements.
///
/// | XML | JSON |
/// |---|---|
/// | element with elements or attributes | object |
/// | attribute | member `@name`, or `@{namespace}name` |
/// | text of an element with attributes, or in mixed content | member `#text` |
/// | elements and texts in their order | member `#content`: an array of objects and strings |
/// | repeatable element, list, SOAP array | array |
/// | `xsi:nil` | `null` |
/// | `xsi:type` | member `@type`, the type's local name, or the qualified name if the local one is ambiguous |
/// | boolean | `true`, `false` |
/// | numbers | number; `INF`, `-INF` and `NaN` are strings |
/// | QName | string, `{namespace}local` |
/// | all other values | string |
///
/// The outermost object represents the Body's element, whose name it does not repeat; if the Body has several parts, it
/// represents the Body.
package struct DynamicCoder: Sendable {
    private let schema: SchemaSet

    package init(_ schema: SchemaSet) { self.schema = schema }

    /// Converts a JSON text to the Body's elements, as XML in UTF-8.
    package func body(forJSON text: [UInt8], of message: Operation.Message) throws(WSDLCompilerError) -> [UInt8] {
        let elements = try elements(for: try Self.value(of: text), of: message)
        var body = ""
        for element in elements { body += try ElementTreeWriter.text(of: element, indents: false) }
        return Array(body.utf8)
    }

    /// Parses a JSON text in UTF-8.
    package static func value(of text: [UInt8]) throws(WSDLCompilerError) -> JSONValue {
        do throws(JSONSyntaxError) { return try JSONValue(parsing: text) } catch {
            throw .value(path: "$", .syntax(line: error.line, column: error.column))
        }
    }

    /// Converts a JSON value to the Body's elements.
    package func elements(
        for value: JSONValue, of message: Operation.Message
    ) throws(WSDLCompilerError) -> [ElementTree] {
        let encoder = ValueEncoder(schema: schema, isEncoded: message.isEncoded)
        switch message.body {
        case .empty: return []
        case .element(let declaration): return [try encoder.element(declaration, value, at: "$")]
        case .parts(let wrapper, let declarations):
            guard case .object(let members) = value else {
                throw .value(path: "$", .wrongKind(expected: "an object"))
            }
            if let attribute = members.first(where: { $0.name.hasPrefix("@") }) {
                throw .value(path: "$", .unknown(name: attribute.name, nearest: nil))
            }
            let particles = declarations.map { Particle(term: .element($0)) }
            let content = try encoder.content(of: members, particles, isMixed: false, at: "$")
            guard let wrapper else {
                return content.compactMap { if case .element(let tree) = $0 { tree } else { nil } }
            }
            var tree = ElementTree(wrapper)
            tree.content = content
            return [tree]
        }
    }

    /// Converts a Body's elements to a JSON text.
    ///
    /// - Parameters:
    ///   - body: An XML document whose root element contains the Body's elements, such as the Body itself.
    ///   - message: The declared message.
    ///   - limits: The size limits for the document.
    ///   - report: A closure that receives each violation of the description, after which decoding continues; if it is
    ///     `nil`, the default, the first violation is thrown. References to missing attachments always throw.
    /// - Returns: JSON over several lines.
    /// - Throws: ``WSDLCompilerError``.
    package func json(
        fromBody body: [UInt8], of message: Operation.Message, limits: XMLLimits = XMLLimits(),
        reporting report: ((WSDLCompilerError) -> Void)? = nil
    ) throws(WSDLCompilerError) -> String {
        let tree: XMLTree
        do {
            tree = try XMLTree(parsing: body, limits: limits)
        } catch {
            throw .malformed(SourceLocation(document: "Body", line: 1), error)
        }
        defer { withExtendedLifetime(tree) {} }
        return try value(ofBodyIn: tree, of: message, report).text
    }

    /// Converts a Body's elements to a JSON value; `null` for an empty Body.
    private func value(
        ofBodyIn tree: XMLTree, of message: Operation.Message, _ report: ((WSDLCompilerError) -> Void)?
    ) throws(WSDLCompilerError) -> JSONValue {
        func unexpected(_ element: XMLElement) throws(WSDLCompilerError) {
            let error = WSDLCompilerError.value(path: "$", .unexpectedElement(name: element.name.description))
            guard let report else { throw error }
            report(error)
        }
        let children = tree.root.children
        let targets = message.isEncoded ? try ReferenceTargets(in: tree.root, reading: Array(children.prefix(1))) : nil
        let decoder = ValueDecoder(schema: schema, tree: tree, targets: targets, report: report)
        switch message.body {
        case .empty:
            if let first = children.first { try unexpected(first) }
            return .null
        case .element(let declaration):
            guard let first = children.first else { throw .value(path: "$", .missing(name: declaration.name.local)) }
            if !schema.allows(first.name, for: declaration) { try unexpected(first) }
            if children.count > 1, !message.isEncoded { try unexpected(children[1]) }
            let member = first.name == declaration.name ? nil : schema.reference(to: first.name)
            return try decoder.value(of: first, member ?? declaration, at: "$")
        case .parts(let wrapper, let declarations):
            let model = Particle(term: .sequence(declarations.map { Particle(term: .element($0)) }))
            guard let wrapper else {
                return .object(decoder.members(try decoder.values(of: children, model, at: "$"), model))
            }
            guard let first = children.first else { throw .value(path: "$", .missing(name: wrapper.local)) }
            // Independent elements may follow the struct of an RPC call (SOAP 1.1 section 5.6).
            if first.name != wrapper { try unexpected(first) }
            return .object(decoder.members(try decoder.values(of: first.children, model, at: "$"), model))
        }
    }
}
