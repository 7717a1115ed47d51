// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import Encodings
package import XMLDocuments

/// Resolves references and applies their transforms (XML Signature 1.1 section 4.4.3).
struct ReferenceReader {
    let tree: XMLTree
    let identifiers: IdentifierTable
    /// The signature that contains the references.
    let signature: XMLElement
    /// The bytes outside the document, by URI.
    let attachments: [String: [UInt8]]
    let limits: XMLLimits

    private enum Content {
        case nodes(NodeSelection)
        case bytes([UInt8])
    }

    /// Returns the bytes that a reference's digest covers, and the referenced element; `nil` for an attachment.
    func read(
        _ reference: SignatureMessage.Reference
    ) throws(XMLSignatureError) -> (bytes: [UInt8], element: XMLElement?) {
        var content = try dereference(reference.uri)
        var element: XMLElement?
        if case .nodes(let selection) = content { element = selection.top ?? tree.root }
        for transform in reference.transforms { content = try apply(transform, to: content) }
        let bytes =
            switch content {
            case .bytes(let bytes): bytes
            case .nodes(let selection): try Canonicalization(.inclusive).bytes(of: selection)
            }
        guard !bytes.isEmpty || element == nil else { throw .emptyReference(uri: reference.uri ?? "") }
        return (bytes, element)
    }

    private func dereference(_ uri: String?) throws(XMLSignatureError) -> Content {
        guard let uri else { throw .externalReference(uri: "") }
        if let bytes = attachments[uri] { return .bytes(bytes) }
        if uri.isEmpty { return .nodes(NodeSelection(tree: tree, hasComments: false)) }
        guard uri.first == "#" else { throw .externalReference(uri: uri) }
        let fragment = uri.dropFirst()
        if fragment == "xpointer(/)" { return .nodes(NodeSelection(tree: tree, hasComments: true)) }
        let identifier = Self.identifier(inPointer: fragment)
        guard let element = identifiers[String(identifier ?? fragment)] else { throw .notFound(uri: uri) }
        return .nodes(NodeSelection(tree: tree, top: element, hasComments: identifier != nil))
    }

    /// Returns the identifier in `xpointer(id('ID'))`.
    private static func identifier(inPointer fragment: Substring) -> Substring? {
        for quote in ["'", "\""] {
            let (start, end) = ("xpointer(id(\(quote)", "\(quote)))")
            if fragment.hasPrefix(start), fragment.hasSuffix(end), fragment.count > start.count + end.count {
                return fragment.dropFirst(start.count).dropLast(end.count)
            }
        }
        return nil
    }

    private func apply(_ transform: Transform, to content: Content) throws(XMLSignatureError) -> Content {
        switch transform {
        case .canonicalization(let canonicalization):
            return .bytes(try canonicalization.bytes(of: nodes(of: content)))
        case .base64:
            guard let bytes = Base64.decode(try text(of: content), as: .mime) else { throw .malformedBase64 }
            return .bytes(bytes)
        case .enveloped:
            var selection = try nodes(of: content)
            // Bytes that a transform parsed again are a different document, which does not contain the signature.
            guard selection.tree === tree else { throw .notEnveloped }
            selection.excludedElements.append(signature)
            return .nodes(selection)
        case .xpath(let filter):
            var selection = try nodes(of: content)
            selection.filters.append(try filter.nodes(of: selection.tree))
            return .nodes(selection)
        case .filter2(let steps):
            var selection = try nodes(of: content)
            var selected: Set<NodeSelection.Node>?
            for (operation, filter) in steps {
                let found = try filter.subtrees(of: selection.tree)
                let every = XPathFilter(expression: "true()", place: filter.place)
                let before = if let selected { selected } else { try every.nodes(of: selection.tree) }
                selected =
                    switch operation {
                    case .intersect: before.intersection(found)
                    case .subtract: before.subtracting(found)
                    case .union: before.union(found)
                    }
            }
            if let selected { selection.filters.append(selected) }
            return .nodes(selection)
        }
    }

    private func nodes(of content: Content) throws(XMLSignatureError) -> NodeSelection {
        switch content {
        case .nodes(let selection): selection
        case .bytes(let bytes):
            NodeSelection(tree: try XMLTree.parse(bytes, limits: limits), hasComments: true)
        }
    }

    /// Returns the text of the selected nodes, without tags.
    private func text(of content: Content) throws(XMLSignatureError) -> String {
        switch content {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .nodes(let selection): selection.text
        }
    }
}

/// The elements of a document by identifier.
package struct IdentifierTable {
    private let elements: [String: XMLElement]

    /// Collects the identifiers of a document, and refuses duplicates.
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

    /// Returns whether the name of an attribute ends in "id", ignoring case; most elements are excluded without
    /// creating a string.
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

    /// The identifier attributes of XML Signature, SAML, xml:id and WS-Security.
    private static let attributes: Set<XMLName> = [
        XMLName("Id"), XMLName("ID"), XMLName("AssertionID"),
        XMLName("id", in: "http://www.w3.org/XML/1998/namespace"),
        XMLName("Id", in: "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"),
    ]
}
