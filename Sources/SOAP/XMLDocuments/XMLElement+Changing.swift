// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

extension XMLElement {
    /// Sets an attribute, and declares a prefix on this element if the attribute's namespace has none in scope.
    ///
    /// A number is appended to the preferred prefix if that prefix already has another namespace.
    package func set(
        _ name: XMLName, to value: String, preferring prefix: String = "n"
    ) throws(XMLDocumentError) {
        var namespace: xmlNsPtr?
        if !name.namespace.isEmpty {
            namespace = try self.namespace(name.namespace, preferring: prefix)
        }
        guard xmlSetNsProp(pointer, namespace, name.local, value) != nil else { throw .outOfMemory }
    }

    /// Returns the declaration of a namespace that has a prefix in scope, or adds one to this element.
    private func namespace(_ uri: String, preferring prefix: String) throws(XMLDocumentError) -> xmlNsPtr {
        let inScope = namespaces
        let known = inScope.filter { $0.value == uri && !$0.key.isEmpty }.keys.min()
        if let known, let found = xmlSearchNs(pointer.pointee.doc, pointer, known) { return found }
        var free = prefix
        var number = 0
        while inScope[free] != nil { (number, free) = (number + 1, "\(prefix)\(number + 1)") }
        guard let added = xmlNewNs(pointer, uri, free) else { throw .outOfMemory }
        return added
    }

    /// Appends a copy of an element to the content of this element.
    package func append(_ other: XMLElement) throws(XMLDocumentError) -> XMLElement {
        guard let copy = xmlDocCopyNode(other.pointer, pointer.pointee.doc, 1) else { throw .outOfMemory }
        guard let added = xmlAddChild(pointer, copy) else {
            xmlFreeNode(copy)
            throw .outOfMemory
        }
        guard let element = XMLElement(added) else { throw .outOfMemory }
        return element
    }

    /// Appends a text to the content of this element.
    package func append(text: String) throws(XMLDocumentError) {
        guard let node = xmlNewDocText(pointer.pointee.doc, text), xmlAddChild(pointer, node) != nil else {
            throw .outOfMemory
        }
    }

    /// Inserts a copy of an element before the content of this element.
    package func prepend(_ other: XMLElement) throws(XMLDocumentError) -> XMLElement {
        guard let first = pointer.pointee.children else { return try append(other) }
        return try Self.insert(other, before: first)
    }

    /// Inserts a copy of an element before this element, in the same parent.
    package func insertBefore(_ other: XMLElement) throws(XMLDocumentError) -> XMLElement {
        try Self.insert(other, before: pointer)
    }

    private static func insert(
        _ other: XMLElement, before sibling: xmlNodePtr
    ) throws(XMLDocumentError) -> XMLElement {
        guard let copy = xmlDocCopyNode(other.pointer, sibling.pointee.doc, 1) else { throw .outOfMemory }
        guard let added = xmlAddPrevSibling(sibling, copy), let element = XMLElement(added) else {
            xmlFreeNode(copy)
            throw .outOfMemory
        }
        return element
    }

    /// Removes the content of this element.
    package func removeChildren() {
        while let child = pointer.pointee.children {
            xmlUnlinkNode(child)
            xmlFreeNode(child)
        }
    }

    /// Replaces this element by copies of another element's content, and frees this element.
    ///
    /// - Returns: The inserted elements.
    package func replace(byChildrenOf other: XMLElement) throws(XMLDocumentError) -> [XMLElement] {
        var elements: [XMLElement] = []
        var node = other.pointer.pointee.children
        while let current = node {
            guard let copy = xmlDocCopyNode(current, pointer.pointee.doc, 1) else { throw .outOfMemory }
            guard let added = xmlAddPrevSibling(pointer, copy) else {
                xmlFreeNode(copy)
                throw .outOfMemory
            }
            if let element = XMLElement(added) { elements.append(element) }
            node = current.pointee.next
        }
        remove()
        return elements
    }

    /// Replaces this element by a text, and frees this element and its content.
    package func replace(byText text: String) throws(XMLDocumentError) {
        guard let node = xmlNewDocText(pointer.pointee.doc, text) else { throw .outOfMemory }
        guard xmlAddPrevSibling(pointer, node) != nil else {
            xmlFreeNode(node)
            throw .outOfMemory
        }
        remove()
    }

    /// Removes this element from its parent, and frees it.
    package func remove() {
        xmlUnlinkNode(pointer)
        xmlFreeNode(pointer)
    }
}
