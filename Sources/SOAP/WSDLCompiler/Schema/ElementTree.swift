// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments
internal import XMLValues

/// An element with all that it holds, as samples and values out of JSON are made.
package struct ElementTree: Hashable, Sendable {
    /// A text, or a name that needs a prefix.
    package enum Value: Hashable, Sendable {
        case text(String)
        case name(XMLName)
        /// A list, whose items are separated by spaces.
        indirect case list([Value])
        /// The type and size of an array, for `soapenc:arrayType`.
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

/// Writes elements as XML, with all prefixes declared at the outermost one.
struct ElementTreeWriter {
    private var prefixes: [String: String] = [KnownNamespaces.xml: "xml"]
    private var declared: [(prefix: String, namespace: String)] = []
    private let indents: Bool
    private var text: [UInt8] = []
    /// The first character that XML cannot hold.
    private var refused: UInt32?

    /// - Parameter indents: Whether elements are on their own lines, where there is no text beside them.
    init(indents: Bool) { self.indents = indents }

    /// The element as XML, in UTF-8 once its bytes are taken.
    ///
    /// - Throws: ``WSDLCompilerError/value(path:_:)`` for a character that XML cannot hold.
    static func text(of tree: ElementTree, indents: Bool = true) throws(WSDLCompilerError) -> String {
        var writer = ElementTreeWriter(indents: indents)
        writer.collect(tree)
        writer.write(tree, depth: 0, isRoot: true)
        if let refused = writer.refused { throw .value(path: "$", .invalid(.character(refused))) }
        return String(decoding: writer.text, as: UTF8.self)
    }

    // MARK: Prefixes

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
        guard !namespace.isEmpty, prefixes[namespace] == nil else { return }
        let usual = [
            KnownNamespaces.schemaInstance: "xsi", KnownNamespaces.schema: "xsd",
            KnownNamespaces.soap11Encoding: "soapenc",
        ]
        let prefix = usual[namespace] ?? "ns\(declared.count { $0.prefix.hasPrefix("ns") } + 1)"
        prefixes[namespace] = prefix
        declared.append((prefix, namespace))
    }

    private func qualified(_ name: XMLName) -> String {
        prefixes[name.namespace].map { "\($0):\(name.local)" } ?? name.local
    }

    // MARK: Text

    private mutating func write(_ tree: ElementTree, depth: Int, isRoot: Bool = false) {
        let name = qualified(tree.name)
        append("<" + name)
        if isRoot {
            for (prefix, namespace) in declared { write(attribute: "xmlns:" + prefix, namespace) }
        }
        for attribute in tree.attributes { write(attribute: qualified(attribute.name), string(attribute.value)) }
        guard !tree.content.isEmpty else { return append("/>") }
        append(">")
        let isMixed = tree.content.contains { if case .value = $0 { true } else { false } }
        for node in tree.content {
            switch node {
            case .value(let value): write(string(value), in: .content)
            case .element(let child):
                if !isMixed { newLine(depth + 1) }
                write(child, depth: depth + 1)
            }
        }
        if !isMixed { newLine(depth) }
        append("</\(name)>")
    }

    private mutating func write(attribute name: String, _ value: String) {
        append(" \(name)=\"")
        write(value, in: .attribute)
        append("\"")
    }

    private mutating func write(_ value: String, in position: XMLTextPosition) {
        if let character = text.append(value, escapedIn: position), refused == nil { refused = character }
    }

    private mutating func append(_ markup: String) { text.append(contentsOf: markup.utf8) }

    private mutating func newLine(_ depth: Int) {
        if indents { append("\n" + String(repeating: "  ", count: depth)) }
    }

    private func string(_ value: ElementTree.Value) -> String {
        switch value {
        case .text(let text): text
        case .name(let name): qualified(name)
        case .list(let items): items.map(string).joined(separator: " ")
        case .arrayType(let name, let count): "\(qualified(name))[\(count)]"
        }
    }
}
