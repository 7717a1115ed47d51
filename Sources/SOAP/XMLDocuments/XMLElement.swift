// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CXML2

/// An element of a document tree.
///
/// An element does not retain its tree: the code that parsed the document must keep the tree while it uses the
/// tree's elements.
package struct XMLElement: Hashable {
    package let pointer: xmlNodePtr

    package init?(_ pointer: xmlNodePtr?) {
        guard let pointer, pointer.pointee.type == XML_ELEMENT_NODE else { return nil }
        self.pointer = pointer
    }

    package var name: XMLName { XMLName(localName, in: namespace) }

    /// The local name of the element.
    package var localName: String { Self.string(pointer.pointee.name) }

    /// The URI of the element's namespace; empty if the element has no namespace.
    package var namespace: String { Self.string(pointer.pointee.ns?.pointee.href) }

    /// The prefix of the element's name; empty if there is none.
    package var prefix: String { Self.string(pointer.pointee.ns?.pointee.prefix) }

    /// Returns whether the element has the given name, without the cost of creating strings.
    package func hasName(_ local: String, in namespace: String) -> Bool {
        Self.matches(pointer.pointee.name, local) && Self.matches(pointer.pointee.ns?.pointee.href, namespace)
    }

    /// The line number of the element, from 1; libxml2 reports 65,535 for all lines after that one.
    package var line: Int { Int(pointer.pointee.line) }

    /// The path of local names from the root element to this one, such as `Response/Assertion[2]`.
    ///
    /// A position in brackets distinguishes siblings with the same local name.
    package var location: String {
        sequence(first: self, next: \.parent).map(\.step).reversed().joined(separator: "/")
    }

    /// The local name, with the position among siblings if several have this local name.
    private var step: String {
        let local = localName
        let same = parent?.children.filter { $0.localName == local } ?? []
        guard same.count > 1, let position = same.firstIndex(of: self) else { return local }
        return "\(local)[\(position + 1)]"
    }
}

// MARK: Other elements

extension XMLElement {
    package var parent: XMLElement? { XMLElement(pointer.pointee.parent) }

    /// The child elements, in document order.
    package var children: [XMLElement] { contents.compactMap { XMLElement($0) } }

    /// Returns the only child element with the given name; `nil` if there is none, or more than one.
    package func child(_ name: XMLName) -> XMLElement? {
        let named = children.filter { $0.name == name }
        return named.count == 1 ? named[0] : nil
    }

    /// Calls the closure for this element and all its descendants, in document order.
    package func forEach(_ body: (XMLElement) throws -> Void) rethrows {
        var node: xmlNodePtr? = pointer
        while let current = node {
            if let element = XMLElement(current) { try body(element) }
            if let first = current.pointee.children, current.pointee.type == XML_ELEMENT_NODE {
                node = first
                continue
            }
            var climbing = current
            while climbing != pointer, climbing.pointee.next == nil, let parent = climbing.pointee.parent {
                climbing = parent
            }
            node = climbing == pointer ? nil : climbing.pointee.next
        }
    }
}

// MARK: Attributes and namespaces

extension XMLElement {
    /// Returns the value of an attribute.
    package subscript(name: XMLName) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// Returns the value of an attribute, without the cost of creating strings for names.
    package func attribute(_ local: String, in namespace: String) -> String? {
        var attribute = pointer.pointee.properties
        while let current = attribute {
            if Self.matches(current.pointee.name, local), Self.matches(current.pointee.ns?.pointee.href, namespace) {
                return Self.content(current.pointee.children) ?? ""
            }
            attribute = current.pointee.next
        }
        return nil
    }

    /// Whether the element has attributes.
    package var hasAttributes: Bool { pointer.pointee.properties != nil }

    /// The attributes of the element, without namespace declarations.
    package var attributes: [(name: XMLName, value: String)] {
        sequence(first: pointer.pointee.properties) { $0?.pointee.next }.compactMap { attribute in
            guard let attribute else { return nil }
            let name = XMLName(Self.string(attribute.pointee.name), in: Self.string(attribute.pointee.ns?.pointee.href))
            let texts = sequence(first: attribute.pointee.children) { $0?.pointee.next }
            return (name, texts.map { Self.string($0?.pointee.content) }.joined())
        }
    }

    /// Returns the namespace of a prefix in scope; the empty prefix is that of the default namespace.
    package func namespace(ofPrefix prefix: String) -> String? {
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        for element in sequence(first: self, next: \.parent) {
            var declaration = element.pointer.pointee.nsDef
            while let found = declaration {
                if Self.matches(found.pointee.prefix, prefix) { return Self.string(found.pointee.href) }
                declaration = found.pointee.next
            }
        }
        return nil
    }

    /// The namespaces in scope, by prefix; the empty prefix is that of the default namespace.
    package var namespaces: [String: String] {
        sequence(first: self, next: \.parent).reduce(into: [:]) { $0.merge($1.ownNamespaces) { inner, _ in inner } }
    }

    /// The namespaces that this element declares, by prefix.
    private var ownNamespaces: [String: String] {
        sequence(first: pointer.pointee.nsDef) { $0?.pointee.next }.reduce(into: [:]) { found, declaration in
            if let declaration = declaration?.pointee {
                found[Self.string(declaration.prefix)] = Self.string(declaration.href)
            }
        }
    }

    /// The prefixes that this element, its ancestors and its descendants declare.
    package var declaredPrefixes: Set<String> {
        var prefixes = Set(namespaces.keys)
        forEach { prefixes.formUnion($0.ownNamespaces.keys) }
        return prefixes
    }
}

// MARK: Texts

extension XMLElement {
    /// A part of the content of an element.
    package enum Node {
        case text(String)
        case element(XMLElement)
    }

    /// The child texts and elements, in document order.
    ///
    /// Texts that only a comment separates are joined.
    package var nodes: [Node] {
        var (nodes, text) = ([Node](), "")
        for node in contents {
            text += Self.text(of: node) ?? ""
            guard let element = XMLElement(node) else { continue }
            if !text.isEmpty { nodes.append(.text(text)) }
            text = ""
            nodes.append(.element(element))
        }
        return text.isEmpty ? nodes : nodes + [.text(text)]
    }

    /// The text of the element; `nil` if the element contains anything but text, so that a comment cannot
    /// split a value.
    package var text: String? {
        var result = ""
        for node in contents {
            guard let text = Self.text(of: node) else { return nil }
            result += text
        }
        return result
    }

    /// The text of the element without comments and processing instructions; `nil` if it contains an element.
    package var textContent: String? { Self.content(pointer.pointee.children) }

    /// The texts of the element, without those of its child elements.
    package var directText: String { contents.compactMap(Self.text(of:)).joined() }

    /// All texts of the element and its descendants, without comments.
    package var allText: String {
        var text = ""
        collectText(into: &text)
        return text
    }

    /// Appends the texts recursively; the parser limits the depth of the recursion.
    private func collectText(into result: inout String) {
        for node in contents {
            result += Self.text(of: node) ?? ""
            XMLElement(node)?.collectText(into: &result)
        }
    }

    /// The child nodes.
    private var contents: some Sequence<xmlNodePtr> {
        sequence(state: pointer.pointee.children) { node in
            defer { node = node?.pointee.next }
            return node
        }
    }

    /// Returns the text of a text node; `nil` for any other node.
    private static func text(of node: xmlNodePtr) -> String? {
        switch node.pointee.type {
        case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: string(node.pointee.content)
        default: nil
        }
    }

    private static func content(_ nodes: xmlNodePtr?) -> String? {
        var text = ""
        var node = nodes
        while let current = node {
            switch current.pointee.type {
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
                if let content = current.pointee.content { text += String(cString: content) }
            case XML_COMMENT_NODE, XML_PI_NODE: break
            default: return nil
            }
            node = current.pointee.next
        }
        return text
    }

    private static func string(_ pointer: UnsafePointer<xmlChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    /// Returns whether a libxml2 text equals a string; a null pointer equals the empty string.
    private static func matches(_ text: UnsafePointer<xmlChar>?, _ string: String) -> Bool {
        guard let text else { return string.isEmpty }
        var position = text
        for byte in string.utf8 {
            guard byte != 0, position.pointee == byte else { return false }
            position += 1
        }
        return position.pointee == 0
    }
}
