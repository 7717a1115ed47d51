// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A sample of an operation's request, made from the model alone.
package struct SampleRequest: Sendable {
    private let operation: Operation
    private let schema: SchemaSet

    package init(of operation: Operation, in schema: SchemaSet) { (self.operation, self.schema) = (operation, schema) }

    /// What stands in the Body.
    ///
    /// - Parameter variant: How much of it is shown.
    /// - Returns: No element for an empty Body.
    /// - Throws: ``WSDLCompilerError/noSample(_:operation:element:)`` where a facet or a circle of types leaves no value that could be made.
    package func elements(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> [ElementTree] {
        var maker = SampleMaker(schema: schema, variant: variant, isEncoded: operation.input.isEncoded)
        switch operation.input.body {
        case .empty: return []
        case .element(let declaration): return [try element(declaration, &maker)]
        case .parts(let wrapper, let declarations):
            var parts: [ElementTree] = []
            for declaration in declarations { parts.append(try element(declaration, &maker)) }
            guard let wrapper else { return parts }
            var tree = ElementTree(wrapper)
            tree.content = parts.map { .element($0) }
            return [tree]
        }
    }

    /// The elements as XML, one after the other.
    ///
    /// - Parameter variant: How much of the request is shown.
    /// - Returns: The XML in UTF-8.
    /// - Throws: ``WSDLCompilerError/noSample(_:operation:element:)``.
    package func envelopeBody(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> [UInt8] {
        var texts: [String] = []
        for element in try elements(variant) { texts.append(try ElementTreeWriter.text(of: element)) }
        return Array(texts.joined(separator: "\n").utf8)
    }

    /// The sample in the form of JSON that ``DynamicCoder`` reads.
    ///
    /// - Parameter variant: How much of the request is shown.
    /// - Returns: JSON over several lines.
    /// - Throws: ``WSDLCompilerError``.
    package func json(_ variant: SampleVariant = .full) throws(WSDLCompilerError) -> String {
        let body = Array("<Body>".utf8) + (try envelopeBody(variant)) + Array("</Body>".utf8)
        // A sample shows the form, also where no value was found that satisfies every facet.
        return try DynamicCoder(schema).json(fromBody: body, of: operation.input, passingOver: { _ in })
    }

    private func element(
        _ declaration: ElementDeclaration, _ maker: inout SampleMaker
    ) throws(WSDLCompilerError) -> ElementTree {
        guard let tree = maker.element(declaration) else {
            throw .noSample(declaration.location, operation: operation.name, element: declaration.name)
        }
        return tree
    }
}
