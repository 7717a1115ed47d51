// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2

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
