// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A part of the content of an element that no declaration describes.
public indirect enum XMLContent: Hashable, Sendable {
    /// Characters, without markup.
    case text(String)
    /// An element.
    case element(XMLElementValue)
}

/// An element with all that it holds, for content that no declaration describes (`xs:any`).
public struct XMLElementValue: Hashable, Sendable {
    /// Its name.
    public var name: XMLName
    /// Its attributes, without declarations of namespaces.
    public var attributes: [XMLName: String]
    /// Its texts and elements, in their order.
    public var content: [XMLContent]
    /// The namespaces of prefixes in its attributes' values and texts, such as that of `xsi:type`.
    public var prefixes: [String: String]

    /// An element by its parts.
    public init(
        _ name: XMLName, attributes: [XMLName: String] = [:], content: [XMLContent] = [],
        prefixes: [String: String] = [:]
    ) {
        (self.name, self.attributes, self.content, self.prefixes) = (name, attributes, content, prefixes)
    }

    /// An element that holds a text.
    public init(_ name: XMLName, text: String) {
        self.init(name, content: text.isEmpty ? [] : [.text(text)])
    }

    /// Its texts, one after the other, without those of the elements in it.
    public var text: String { content.text }

    /// Its elements.
    public var elements: [XMLElementValue] { content.elements }
}

extension [XMLContent] {
    /// The texts, one after the other.
    public var text: String {
        reduce(into: "") { result, part in
            if case .text(let text) = part { result += text }
        }
    }

    /// The elements.
    public var elements: [XMLElementValue] {
        compactMap { part in
            guard case .element(let element) = part else { return nil }
            return element
        }
    }
}
