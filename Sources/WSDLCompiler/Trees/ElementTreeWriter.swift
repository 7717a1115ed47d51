// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Writes elements as XML, with all prefixes declared at the outermost one.
struct ElementTreeWriter {
    private var prefixes: [String: String] = [KnownNamespaces.xml: "xml"]
    private var declared: [(prefix: String, namespace: String)] = []
    private let indents: Bool
    private var text = ""

    /// - Parameter indents: Whether elements are on their own lines, where there is no text beside them.
    init(indents: Bool) { self.indents = indents }

    /// The element as XML, in UTF-8 once its bytes are taken.
    static func text(of tree: ElementTree, indents: Bool = true) -> String {
        var writer = ElementTreeWriter(indents: indents)
        writer.collect(tree)
        writer.write(tree, depth: 0, isRoot: true)
        return writer.text
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
        text += "<" + name
        if isRoot {
            for (prefix, namespace) in declared {
                text += " xmlns:\(prefix)=\"\(namespace.escaped(inAttribute: true))\""
            }
        }
        for attribute in tree.attributes {
            text += " \(qualified(attribute.name))=\"\(string(attribute.value).escaped(inAttribute: true))\""
        }
        guard !tree.content.isEmpty else {
            text += "/>"
            return
        }
        text += ">"
        let isMixed = tree.content.contains { if case .value = $0 { true } else { false } }
        for node in tree.content {
            switch node {
            case .value(let value): text += string(value).escaped(inAttribute: false)
            case .element(let child):
                if !isMixed { newLine(depth + 1) }
                write(child, depth: depth + 1)
            }
        }
        if !isMixed { newLine(depth) }
        text += "</\(name)>"
    }

    private mutating func newLine(_ depth: Int) {
        if indents { text += "\n" + String(repeating: "  ", count: depth) }
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

extension String {
    /// Its characters as XML 1.0 has them; those that XML cannot have become U+FFFD.
    fileprivate func escaped(inAttribute: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"" where inAttribute: result.append(contentsOf: "&quot;".unicodeScalars)
            case "\t" where inAttribute, "\n" where inAttribute, "\r":
                result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case "\t", "\n": result.append(scalar)
            default:
                let isCharacter = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                result.append(isCharacter ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }
}
