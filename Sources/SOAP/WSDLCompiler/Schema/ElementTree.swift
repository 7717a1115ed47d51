// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments
package import XMLValues

/// An element with its content, for samples and for values converted from JSON.
package struct ElementTree: Hashable, Sendable {
    /// A text, or a value that contains qualified names.
    package enum Value: Hashable, Sendable {
        case text(String)
        case name(XMLName)
        /// A list, whose items are separated by spaces.
        indirect case list([Value])
        /// The item type and size of an array, for `soapenc:arrayType`.
        case arrayType(XMLName, count: Int)
    }

    package enum Node: Hashable, Sendable {
        case value(Value)
        case element(ElementTree)
    }

    package var name: XMLName
    package var attributes: [(name: XMLName, value: Value)] = []
    package var content: [Node] = []

    package init(_ name: XMLName) { self.name = name }

    package static func == (left: ElementTree, right: ElementTree) -> Bool {
        left.name == right.name && left.content == right.content
            && left.attributes.elementsEqual(right.attributes) { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    mutating func set(_ attribute: XMLName, _ value: Value) {
        attributes.removeAll { $0.name == attribute }
        attributes.append((attribute, value))
    }
}

extension ElementTree {
    static let typeAttribute = XMLName("type", in: KnownNamespaces.schemaInstance)
    static let nilAttribute = XMLName("nil", in: KnownNamespaces.schemaInstance)
    static let arrayTypeAttribute = XMLName("arrayType", in: KnownNamespaces.soap11Encoding)
}

extension ElementTree.Value: XMLSimpleType {
    package init(xmlText text: String, in scope: XMLScope) { self = .text(text) }

    package func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        switch self {
        case .text(let text): return text
        case .name(let name): return try name.xmlText(in: &scope)
        case .list(let items):
            var texts: [String] = []
            for item in items { texts.append(try item.xmlText(in: &scope)) }
            return texts.joined(separator: " ")
        case .arrayType(let name, let count): return "\(try name.xmlText(in: &scope))[\(count)]"
        }
    }
}

/// Writes elements as XML, with all prefixes declared on the root element.
struct ElementTreeWriter {
    private var prefixes: [(prefix: String, namespace: String)] = []
    /// Whether child elements are on their own lines, except in mixed content.
    private let indents: Bool

    /// Returns the element as XML.
    ///
    /// - Throws: ``WSDLCompilerError/value(path:_:)`` for a character that XML does not allow.
    static func text(of tree: ElementTree, indents: Bool = true) throws(WSDLCompilerError) -> String {
        var writer = ElementTreeWriter(indents: indents)
        writer.collect(tree)
        var xml = XMLWriter(prefixes: writer.prefixes)
        xml.depth = .max
        do throws(XMLValueError) { try writer.write(tree, depth: 0, to: &xml) } catch {
            throw .value(path: "$", .invalid(error))
        }
        return String(decoding: xml.bytes, as: UTF8.self)
    }

    private func write(_ tree: ElementTree, depth: Int, to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.startElement(tree.name.local, in: tree.name.namespace)
        for (name, value) in tree.attributes { try xml.attribute(name.local, in: name.namespace, value) }
        let isMixed = tree.content.contains { if case .value = $0 { true } else { false } }
        func newLine(_ depth: Int) throws(XMLValueError) {
            if indents, !isMixed { try xml.write(text: "\n" + String(repeating: "  ", count: depth)) }
        }
        for node in tree.content {
            switch node {
            case .value(let value): try xml.text(value)
            case .element(let child):
                try newLine(depth + 1)
                try write(child, depth: depth + 1, to: &xml)
            }
        }
        if !tree.content.isEmpty { try newLine(depth) }
        try xml.endElement()
    }

    // MARK: Prefixes

    private init(indents: Bool) { self.indents = indents }

    private mutating func collect(_ tree: ElementTree) {
        collect(tree.name.namespace)
        for attribute in tree.attributes {
            collect(attribute.name.namespace)
            collect(attribute.value)
        }
        for node in tree.content {
            switch node {
            case .value(let value): collect(value)
            case .element(let child): collect(child)
            }
        }
    }

    private mutating func collect(_ value: ElementTree.Value) {
        switch value {
        case .text: break
        case .name(let name), .arrayType(let name, _): collect(name.namespace)
        case .list(let items): for item in items { collect(item) }
        }
    }

    private mutating func collect(_ namespace: String) {
        guard !namespace.isEmpty, namespace != KnownNamespaces.xml,
            !prefixes.contains(where: { $0.namespace == namespace })
        else { return }
        let usual = [
            KnownNamespaces.schemaInstance: "xsi", KnownNamespaces.schema: "xsd",
            KnownNamespaces.soap11Encoding: "soapenc",
        ]
        let prefix = usual[namespace] ?? "ns\(prefixes.count { $0.prefix.hasPrefix("ns") } + 1)"
        prefixes.append((prefix, namespace))
    }
}
