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
