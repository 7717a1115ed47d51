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
            for (name, value) in element.attributes where Self.attributes.contains(name) {
                if elements.updateValue(element, forKey: value).map({ $0 != element }) ?? false { duplicate = value }
            }
        }
        if let duplicate { throw .duplicateIdentifier(duplicate) }
        self.elements = elements
    }

    package subscript(identifier: String) -> XMLElement? { elements[identifier] }

    /// XML Signature's, SAML's, xml:id and that of WS-Security.
    private static let attributes: Set<XMLName> = [
        XMLName("Id"), XMLName("ID"), XMLName("AssertionID"),
        XMLName("id", in: "http://www.w3.org/XML/1998/namespace"),
        XMLName("Id", in: "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"),
    ]
}
