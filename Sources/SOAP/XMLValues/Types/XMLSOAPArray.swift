// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// An array of the SOAP encoding (SOAP 1.1 section 5.4.2, SOAP 1.2 Part 2 section 3.1.6).
public struct XMLSOAPArray<Item: XMLCodable>: XMLCodable, ExpressibleByArrayLiteral {
    /// The items.
    public var items: [Item]

    /// Creates an array of items; empty by default.
    public init(_ items: [Item] = []) { self.items = items }

    /// Creates an array of the items of a literal.
    public init(arrayLiteral elements: Item...) { items = elements }

    /// The SOAP 1.1 type `soapenc:Array`; the writer replaces the namespace in SOAP 1.2.
    public static var xmlType: XMLName? { XMLName("Array", in: XMLNamespace.encoding11) }

    /// Writes the type and the number of the items, and each item as an element `item`.
    ///
    /// - Throws: Errors of ``XMLWriter`` and of the items.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        let (item, ranks) = Self.itemType
        if xml.encoding == .soap12 {
            let type = ranks.isEmpty ? item : XMLName("Array", in: XMLNamespace.encoding12)
            try xml.attribute("itemType", in: XMLNamespace.encoding12, type)
            try xml.attribute("arraySize", in: XMLNamespace.encoding12, items.count)
        } else {
            let type = XMLArrayType(item: item, ranks: "\(ranks)[\(items.count)]")
            try xml.attribute("arrayType", in: XMLNamespace.encoding11, type)
        }
        for item in items { try xml.element("item", item) }
    }

    /// Reads each element, of any name, as an item.
    ///
    /// - Throws: ``XMLValueError/partialArray(at:)`` for an array with an offset or positions (SOAP 1.1), errors of
    ///   ``XMLReader``, and errors of an item's initializer.
    public init(from xml: inout XMLReader) throws(XMLValueError) {
        items = try xml.arrayItems()
    }
}

/// An array with any type of items.
private protocol XMLEncodedArray {
    static var itemType: (item: XMLName, ranks: String) { get }
}

extension XMLSOAPArray: XMLEncodedArray {
    /// The innermost type of the items, and a pair of brackets for each nested array.
    fileprivate static var itemType: (item: XMLName, ranks: String) {
        if let inner = Item.self as? any XMLEncodedArray.Type {
            let (item, ranks) = inner.itemType
            return (item, ranks + "[]")
        }
        return (Item.xmlType ?? .schema("anyType"), "")
    }
}

/// A value of `soapenc:arrayType`.
private struct XMLArrayType: XMLSimpleType {
    let item: XMLName
    let ranks: String

    init(item: XMLName, ranks: String) { (self.item, self.ranks) = (item, ranks) }

    init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        let end = text.firstIndex(of: "[") ?? text.endIndex
        item = try XMLName(xmlText: String(text[..<end]), in: scope)
        ranks = String(text[end...])
    }

    func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String { try item.xmlText(in: &scope) + ranks }
}

extension XMLReader {
    /// Reads all elements as the items of an array.
    fileprivate mutating func arrayItems<Item: XMLCodable>() throws(XMLValueError) -> [Item] {
        guard element.attribute("offset", in: XMLNamespace.encoding11) == nil else { throw .partialArray(at: place) }
        var items: [Item] = []
        while let next = cursor.next {
            guard next.attribute("position", in: XMLNamespace.encoding11) == nil else {
                throw .partialArray(at: next.place)
            }
            try take(next)
            items.append(try read(next))
        }
        return items
    }
}
