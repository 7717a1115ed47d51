// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// An element with all that it holds, as samples and values out of JSON are made.
package struct ElementTree: Hashable, Sendable {
    /// A text, or a name that needs a prefix.
    package enum Value: Hashable, Sendable {
        case text(String)
        case name(XMLName)
        /// A list, whose items are separated by spaces.
        indirect case list([Value])
        /// The type and size of an array, for `soapenc:arrayType`.
        case arrayType(XMLName, count: Int)
    }

    package enum Node: Hashable, Sendable {
        case value(Value)
        case element(ElementTree)
    }

    package var name: XMLName
    package var attributes: [(name: XMLName, value: Value)] = []
    package var content: [Node] = []

    package init(_ name: XMLName) { self.name = name }

    package static func == (left: ElementTree, right: ElementTree) -> Bool {
        left.name == right.name && left.content == right.content
            && left.attributes.elementsEqual(right.attributes) { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    mutating func set(_ attribute: XMLName, _ value: Value) {
        attributes.removeAll { $0.name == attribute }
        attributes.append((attribute, value))
    }
}

extension ElementTree {
    static let typeAttribute = XMLName("type", in: KnownNamespaces.schemaInstance)
    static let nilAttribute = XMLName("nil", in: KnownNamespaces.schemaInstance)
    static let arrayTypeAttribute = XMLName("arrayType", in: KnownNamespaces.soap11Encoding)
}
