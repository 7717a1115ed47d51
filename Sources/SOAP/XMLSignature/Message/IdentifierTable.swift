// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
package import XMLDocuments

/// The elements of a document by their identifiers.
package struct IdentifierTable {
    private let elements: [String: XMLElement]

    /// Finds every identifier once, and refuses two that are the same.
    package init(_ tree: XMLTree) throws(XMLSignatureError) {
        var elements: [String: XMLElement] = [:]
        var duplicate: String?
        tree.root.forEach { element in
            guard Self.mayIdentify(element) else { return }
            for (name, value) in element.attributes where Self.attributes.contains(name) {
                if elements.updateValue(element, forKey: value).map({ $0 != element }) ?? false { duplicate = value }
            }
        }
        if let duplicate { throw .duplicateIdentifier(duplicate) }
        self.elements = elements
    }

    package subscript(identifier: String) -> XMLElement? { elements[identifier] }

    /// Whether a name of one of its attributes ends as identifiers do, which most elements answer without a string.
    private static func mayIdentify(_ element: XMLElement) -> Bool {
        var next = element.pointer.pointee.properties
        while let attribute = next {
            if let name = attribute.pointee.name, let last = lastTwo(of: name), last.0 | 0x20 == 0x69,
                last.1 | 0x20 == 0x64
            {
                return true
            }
            next = attribute.pointee.next
        }
        return false
    }

    private static func lastTwo(of name: UnsafePointer<xmlChar>) -> (xmlChar, xmlChar)? {
        guard name[0] != 0, name[1] != 0 else { return nil }
        var end = 2
        while name[end] != 0 { end += 1 }
        return (name[end - 2], name[end - 1])
    }

    /// XML Signature's, SAML's, xml:id and that of WS-Security.
    private static let attributes: Set<XMLName> = [
        XMLName("Id"), XMLName("ID"), XMLName("AssertionID"),
        XMLName("id", in: "http://www.w3.org/XML/1998/namespace"),
        XMLName("Id", in: "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"),
    ]
}
