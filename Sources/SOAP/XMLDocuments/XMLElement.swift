// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CXML2

/// An element of a tree.
///
/// It does not keep its tree alive: the code that parsed the document holds the tree until it is done with the elements.
package struct XMLElement: Hashable {
    package let pointer: xmlNodePtr

    package init?(_ pointer: xmlNodePtr?) {
        guard let pointer, pointer.pointee.type == XML_ELEMENT_NODE else { return nil }
        self.pointer = pointer
    }

    package var name: XMLName {
        XMLName(Self.string(pointer.pointee.name), in: Self.string(pointer.pointee.ns?.pointee.href))
    }

    /// Its line, from 1; 65,535 where it lies further down.
    package var line: Int { Int(pointer.pointee.line) }

    package var parent: XMLElement? { XMLElement(pointer.pointee.parent) }

    /// Its elements, in their order.
    package var children: [XMLElement] {
        sequence(first: pointer.pointee.children) { $0?.pointee.next }.compactMap { XMLElement($0) }
    }

    /// The one element of a name; `nil` where there is none, or more than one.
    package func child(_ name: XMLName) -> XMLElement? {
        let named = children.filter { $0.name == name }
        return named.count == 1 ? named[0] : nil
    }

    /// The value of an attribute.
    package subscript(name: XMLName) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// Its attributes, without the declarations of namespaces.
    package var attributes: [(name: XMLName, value: String)] {
        sequence(first: pointer.pointee.properties) { $0?.pointee.next }.compactMap { attribute in
            guard let attribute else { return nil }
            let name = XMLName(Self.string(attribute.pointee.name), in: Self.string(attribute.pointee.ns?.pointee.href))
            return (name, Self.text(of: attribute.pointee.children))
        }
    }

    /// Its text; `nil` where it has anything but text, so that a comment cannot split a value.
    package var text: String? {
        var texts: [String] = []
        var node = pointer.pointee.children
        while let current = node {
            guard [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(current.pointee.type) else { return nil }
            texts.append(Self.string(current.pointee.content))
            node = current.pointee.next
        }
        return texts.joined()
    }

    /// Every element of the tree from this one on, in the document's order.
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

    /// The namespaces that are in scope, by their prefixes; the default one has the prefix "".
    package var namespaces: [String: String] {
        var found: [String: String] = [:]
        for element in sequence(first: self, next: \.parent) {
            var declaration = element.pointer.pointee.nsDef
            while let current = declaration {
                let prefix = Self.string(current.pointee.prefix)
                if found[prefix] == nil { found[prefix] = Self.string(current.pointee.href) }
                declaration = current.pointee.next
            }
        }
        return found
    }

    private static func text(of nodes: xmlNodePtr?) -> String {
        sequence(first: nodes) { $0?.pointee.next }.map { Self.string($0?.pointee.content) }.joined()
    }

    private static func string(_ pointer: UnsafePointer<xmlChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }
}

extension XMLElement {
    /// Whether it has a name, compared without making strings.
    package func hasName(_ local: String, in namespace: String) -> Bool {
        Self.matches(pointer.pointee.name, local) && Self.matches(pointer.pointee.ns?.pointee.href, namespace)
    }

    /// Its local name.
    package var localName: String { pointer.pointee.name.map { String(cString: $0) } ?? "" }

    /// Its namespace's URI; empty for none.
    package var namespace: String { pointer.pointee.ns?.pointee.href.map { String(cString: $0) } ?? "" }

    /// The value of an attribute.
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

    /// Whether it has attributes.
    package var hasAttributes: Bool { pointer.pointee.properties != nil }

    /// Its text without comments and processing instructions; `nil` where it holds an element.
    package var textContent: String? { Self.content(pointer.pointee.children) }

    /// The namespace of a prefix that is in scope; the default one has the prefix "".
    package func namespace(ofPrefix prefix: String) -> String? {
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        var element: XMLElement? = self
        while let current = element {
            var declaration = current.pointer.pointee.nsDef
            while let found = declaration {
                if Self.matches(found.pointee.prefix, prefix) {
                    return found.pointee.href.map { String(cString: $0) } ?? ""
                }
                declaration = found.pointee.next
            }
            element = current.parent
        }
        return nil
    }

    /// The local names from the document's element down to this one, each with its position among the elements of the same local name where
    /// there are several: `Response/Assertion[2]`.
    package var location: String {
        sequence(first: self, next: \.parent).map(\.step).reversed().joined(separator: "/")
    }

    /// The local name, with the position among several of it.
    private var step: String {
        let local = localName
        let same = parent?.children.filter { $0.localName == local } ?? []
        guard same.count > 1, let position = same.firstIndex(of: self) else { return local }
        return "\(local)[\(position + 1)]"
    }

    /// The texts right in it, without those of its elements.
    package var directText: String {
        var texts: [String] = []
        var node = pointer.pointee.children
        while let current = node {
            if [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(current.pointee.type),
                let content = current.pointee.content
            {
                texts.append(String(cString: content))
            }
            node = current.pointee.next
        }
        return texts.joined()
    }

    /// A part of the content of an element.
    package enum Node {
        case text(String)
        case element(XMLElement)
    }

    /// The texts and elements right in it, in their order; texts that only a comment separates are one.
    package var nodes: [Node] {
        var (nodes, text, node) = ([Node](), "", pointer.pointee.children)
        while let current = node {
            if let element = XMLElement(current) {
                if !text.isEmpty { nodes.append(.text(text)) }
                text = ""
                nodes.append(.element(element))
            } else if [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(current.pointee.type),
                let content = current.pointee.content
            {
                text += String(cString: content)
            }
            node = current.pointee.next
        }
        return text.isEmpty ? nodes : nodes + [.text(text)]
    }

    /// All texts in it and below, without comments.
    package var allText: String {
        var texts: [String] = []
        collectText(of: pointer.pointee.children, into: &texts)
        return texts.joined()
    }

    /// The parser bounds how deep this goes.
    private func collectText(of first: xmlNodePtr?, into texts: inout [String]) {
        var node = first
        while let current = node {
            switch current.pointee.type {
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
                if let content = current.pointee.content { texts.append(String(cString: content)) }
            case XML_ELEMENT_NODE: collectText(of: current.pointee.children, into: &texts)
            default: break
            }
            node = current.pointee.next
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

    /// Whether a text of libxml2's, or none for the empty one, is a string's.
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
