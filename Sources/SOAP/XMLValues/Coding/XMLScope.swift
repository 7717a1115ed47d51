// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments

/// The namespaces in scope for the qualified names in a text.
public struct XMLScope {
    struct Binding {
        let prefix: String
        let namespace: String
    }

    /// Whether the facets of a type are checked when a value is read; `true` unless ``XMLReadingOptions/checksFacets``
    /// is `false`.
    public private(set) var checksFacets: Bool

    /// The declarations, innermost last; those from the index `written` on have not been written yet.
    var bindings: [Binding] = []
    var written = 0
    /// The prefixes used earlier for namespaces, so that a namespace has the same prefix throughout the document.
    private var known: [Binding] = []
    /// The element that contains the text, with its tree, which lives as long as the scope.
    private let source: (tree: XMLTree, element: XMLElement)?

    /// Creates a scope without namespaces, in which facets are checked.
    public init() { (source, checksFacets) = (nil, true) }

    package init(tree: XMLTree, element: XMLElement, checksFacets: Bool) {
        (source, self.checksFacets) = ((tree, element), checksFacets)
    }

    /// Creates a scope for writing, with the given declarations.
    init(prefixes: [(prefix: String, namespace: String)]) {
        self.init()
        bindings = prefixes.map { Binding(prefix: $0.prefix, namespace: $0.namespace) }
        known = bindings
    }

    /// The same scope with facet checks: a union tries its member types in order, and a facet can decide between them.
    public var checked: XMLScope {
        var scope = self
        scope.checksFacets = true
        return scope
    }

    /// Returns the namespace of a prefix; the empty prefix is that of the default namespace.
    ///
    /// - Returns: The namespace's URI, empty for no namespace; `nil` if the prefix is not declared.
    public func namespace(ofPrefix prefix: String) -> String? {
        if prefix == "xml" { return XMLNamespace.xml }
        if let binding = bindings.last(where: { $0.prefix == prefix }) { return binding.namespace }
        return source?.element.namespace(ofPrefix: prefix) ?? (prefix.isEmpty ? "" : nil)
    }

    /// Returns the prefix of a namespace, and declares one if the namespace has none.
    ///
    /// - Returns: The prefix; empty for the empty namespace.
    public mutating func prefix(for namespace: String) -> String {
        if namespace.isEmpty { return "" }
        for index in bindings.indices.reversed() where bindings[index].namespace == namespace {
            let prefix = bindings[index].prefix
            if !bindings[(index + 1)...].contains(where: { $0.prefix == prefix }) { return prefix }
        }
        if namespace == XMLNamespace.xml { return "xml" }
        let prefix = newPrefix(for: namespace)
        bindings.append(Binding(prefix: prefix, namespace: namespace))
        return prefix
    }

    /// Declares a prefix for a namespace, unless the prefix already has that namespace.
    mutating func declare(_ prefix: String, _ namespace: String) {
        guard self.namespace(ofPrefix: prefix) != namespace else { return }
        bindings.append(Binding(prefix: prefix, namespace: namespace))
        guard !known.contains(where: { $0.namespace == namespace || $0.prefix == prefix }) else { return }
        known.append(Binding(prefix: prefix, namespace: namespace))
    }

    private mutating func newPrefix(for namespace: String) -> String {
        func isFree(_ prefix: String) -> Bool { !bindings.contains { $0.prefix == prefix } }
        if let binding = known.first(where: { $0.namespace == namespace }), isFree(binding.prefix) {
            return binding.prefix
        }
        if let usual = XMLNamespace.prefixes.first(where: { $0.namespace == namespace })?.prefix, isFree(usual) {
            return usual
        }
        var number = 1
        while !isFree("ns\(number)") || known.contains(where: { $0.prefix == "ns\(number)" }) { number += 1 }
        known.append(Binding(prefix: "ns\(number)", namespace: namespace))
        return "ns\(number)"
    }
}

/// The namespaces that the library handles itself.
package enum XMLNamespace {
    package static let schema = "http://www.w3.org/2001/XMLSchema"
    package static let instance = "http://www.w3.org/2001/XMLSchema-instance"
    package static let xml = "http://www.w3.org/XML/1998/namespace"
    package static let declarations = "http://www.w3.org/2000/xmlns/"
    package static let include = "http://www.w3.org/2004/08/xop/include"
    /// The namespace of the SOAP 1.1 encoding (section 5).
    package static let encoding11 = "http://schemas.xmlsoap.org/soap/encoding/"
    /// The namespace of the SOAP 1.2 encoding (Part 2 section 3).
    package static let encoding12 = "http://www.w3.org/2003/05/soap-encoding"

    /// The default prefixes of these namespaces, unless the writer's caller chooses others.
    static let prefixes: [(namespace: String, prefix: String)] = [
        (schema, "xsd"), (instance, "xsi"), (include, "xop"), (encoding11, "soapenc"),
        (encoding12, "enc"),
    ]
}
