// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A part of the content of an element that no declaration describes.
public indirect enum XMLContent: Hashable, Sendable {
    /// Characters, with references already replaced.
    case text(String)
    /// An element.
    case element(XMLElementValue)
}

/// An element with its content, for content that no declaration describes (`xs:any`).
public struct XMLElementValue: Hashable, Sendable {
    /// The name of the element.
    public var name: XMLName
    /// The attributes of the element, without namespace declarations.
    public var attributes: [XMLName: String]
    /// The child texts and elements, in order.
    public var content: [XMLContent]
    /// The namespaces, by prefix, of qualified names in attribute values and texts, such as in `xsi:type`.
    public var prefixes: [String: String]

    /// Creates an element from its parts.
    public init(
        _ name: XMLName, attributes: [XMLName: String] = [:], content: [XMLContent] = [],
        prefixes: [String: String] = [:]
    ) {
        (self.name, self.attributes, self.content, self.prefixes) = (name, attributes, content, prefixes)
    }

    /// Creates an element with a text; an empty text adds no content.
    public init(_ name: XMLName, text: String) {
        self.init(name, content: text.isEmpty ? [] : [.text(text)])
    }

    /// The element's texts joined, without those of child elements.
    public var text: String { content.text }

    /// The child elements, without the texts between them.
    public var elements: [XMLElementValue] { content.elements }
}

extension [XMLContent] {
    /// The texts joined, without those of the elements.
    public var text: String {
        reduce(into: "") { result, part in
            if case .text(let text) = part { result += text }
        }
    }

    /// The elements, without the texts between them.
    public var elements: [XMLElementValue] {
        compactMap { part in
            guard case .element(let element) = part else { return nil }
            return element
        }
    }
}

/// The elements that a wildcard of a schema (`xs:any`) accepts, by their namespaces (XML Schema Part 1 section 3.10).
public enum XMLWildcard: Hashable, Sendable {
    /// Elements of all namespaces, and of none (`##any`).
    case any
    /// Elements of every namespace except this one, but none without a namespace (`##other`).
    case other(than: String)
    /// Elements of these namespaces; an empty string represents no namespace.
    case only([String])

    /// Returns whether the wildcard accepts elements of a namespace; an empty string represents no namespace.
    public func accepts(_ namespace: String) -> Bool {
        switch self {
        case .any: true
        case .other(let target): !namespace.isEmpty && namespace != target
        case .only(let namespaces): namespaces.contains(namespace)
        }
    }
}

extension XMLReader {
    /// Reads the next element, which the wildcard must accept.
    ///
    /// - Throws: ``XMLValueError/noChoice(group:found:at:)`` if the wildcard does not accept it,
    ///   ``XMLValueError/unexpectedText(_:at:)`` and ``XMLValueError/tooDeep(depth:at:)``.
    public mutating func any(_ wildcard: XMLWildcard) throws(XMLValueError) -> XMLElementValue {
        guard let value = try optionalAny(wildcard) else { throw noChoice("any") }
        return value
    }

    /// Reads the next element if the wildcard accepts it; otherwise returns `nil`.
    ///
    /// - Throws: ``XMLValueError/unexpectedText(_:at:)`` and ``XMLValueError/tooDeep(depth:at:)``.
    public mutating func optionalAny(_ wildcard: XMLWildcard) throws(XMLValueError) -> XMLElementValue? {
        guard let element = cursor.find(wildcard) else { return nil }
        try take(element)
        return try elementValue(element, depth: depth + 1)
    }

    /// Reads the next elements, up to the first one that the wildcard does not accept.
    ///
    /// - Throws: ``XMLValueError/unexpectedText(_:at:)`` and ``XMLValueError/tooDeep(depth:at:)``.
    public mutating func anys(_ wildcard: XMLWildcard) throws(XMLValueError) -> [XMLElementValue] {
        var values: [XMLElementValue] = []
        while let value = try optionalAny(wildcard) { values.append(value) }
        return values
    }

    /// Reads all child texts and elements, in order.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``.
    public mutating func mixed() throws(XMLValueError) -> [XMLContent] {
        cursor = .end
        return try content(of: element, depth: depth + 1)
    }

    /// Returns the reader's element as a value.
    func elementValue() throws(XMLValueError) -> XMLElementValue { try elementValue(element, depth: depth) }

    /// The namespaces of the prefixes that the element's own text and attribute values seem to use.
    var usedPrefixes: [String: String] { element.usedPrefixes(inTypes: false) }

    private func elementValue(_ element: XMLElement, depth: Int) throws(XMLValueError) -> XMLElementValue {
        guard depth < context.options.depth else { throw .tooDeep(depth: context.options.depth, at: element.place) }
        let content = try content(of: element, depth: depth + 1)
        var value = XMLElementValue(
            element.name, attributes: element.attributes.reduce(into: [:]) { $0[$1.name] = $1.value }, content: content,
            prefixes: element.usedPrefixes(inTypes: true))
        value.prefixType(in: element)
        return value
    }

    private func content(of element: XMLElement, depth: Int) throws(XMLValueError) -> [XMLContent] {
        var content: [XMLContent] = []
        for node in element.nodes {
            switch node {
            case .text(let text): content.append(.text(text))
            case .element(let child): content.append(.element(try elementValue(child, depth: depth)))
            }
        }
        return content
    }
}

extension XMLElementValue {
    /// Adds a prefix to an `xsi:type` value without one, because the default namespace is not stored.
    fileprivate mutating func prefixType(in element: XMLElement) {
        let name = XMLName("type", in: XMLNamespace.instance)
        guard let type = attributes[name], !type.contains(":"), let namespace = element.namespace(ofPrefix: ""),
            !namespace.isEmpty
        else { return }
        let prefix = sequence(first: 1) { $0 + 1 }.lazy.map { "type\($0)" }.first { prefixes[$0] == nil } ?? "type"
        attributes[name] = "\(prefix):\(XMLWhiteSpace.collapse.normalize(type))"
        prefixes[prefix] = namespace
    }
}

extension XMLElement {
    /// Returns the namespaces of the prefixes that the element's own text and attribute values seem to use.
    fileprivate func usedPrefixes(inTypes: Bool) -> [String: String] {
        let attributes = attributes.filter { inTypes || $0.name.namespace != XMLNamespace.instance }
        var used: [String: String] = [:]
        for text in attributes.map(\.value) + [textContent ?? ""] {
            for part in text.split(separator: ":", omittingEmptySubsequences: false).dropLast() {
                let prefix = part.split { " \t\r\n\"'()[]=,/@|".contains($0) }.last.map(String.init) ?? ""
                guard prefix.isXMLName, prefix != "xml", let namespace = namespace(ofPrefix: prefix) else { continue }
                used[prefix] = namespace
            }
        }
        return used
    }
}
