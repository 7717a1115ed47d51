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

/// An element with all that it holds, for content that no declaration describes (`xs:any`).
public struct XMLElementValue: Hashable, Sendable {
    /// The name of the element.
    public var name: XMLName
    /// The attributes of the element, without declarations of namespaces.
    public var attributes: [XMLName: String]
    /// The texts and elements in the element, in their order.
    public var content: [XMLContent]
    /// The namespaces, by prefix, of qualified names in attributes' values and texts, such as in `xsi:type`.
    public var prefixes: [String: String]

    /// Creates an element from its parts.
    public init(
        _ name: XMLName, attributes: [XMLName: String] = [:], content: [XMLContent] = [],
        prefixes: [String: String] = [:]
    ) {
        (self.name, self.attributes, self.content, self.prefixes) = (name, attributes, content, prefixes)
    }

    /// Creates an element that holds a text; an empty text adds no content.
    public init(_ name: XMLName, text: String) {
        self.init(name, content: text.isEmpty ? [] : [.text(text)])
    }

    /// The element's texts joined, without those of elements in it.
    public var text: String { content.text }

    /// The elements in the element, without its texts.
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
