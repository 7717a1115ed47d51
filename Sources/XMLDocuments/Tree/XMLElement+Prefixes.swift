// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

extension XMLElement {
    /// The namespace of a prefix in scope, or the default one for an empty prefix; `nil` where none is declared.
    package func namespace(ofPrefix prefix: String) -> String? {
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        for element in sequence(first: self, next: \.parent) {
            var declaration = element.pointer.pointee.nsDef
            while let current = declaration {
                let declared = current.pointee.prefix.map { String(cString: $0) } ?? ""
                if declared == prefix { return current.pointee.href.map { String(cString: $0) } ?? "" }
                declaration = current.pointee.next
            }
        }
        return nil
    }

    /// The value of an attribute without a namespace.
    package func unqualified(_ local: String) -> String? {
        guard let attribute = xmlHasNsProp(pointer, local, nil) else { return nil }
        var value = ""
        var node = attribute.pointee.children
        while let current = node {
            value += current.pointee.content.map { String(cString: $0) } ?? ""
            node = current.pointee.next
        }
        return value
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
}
