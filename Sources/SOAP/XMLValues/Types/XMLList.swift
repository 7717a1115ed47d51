// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A list of values, written as one text with spaces between the items (`xs:list`).
public struct XMLList<Item: XMLSimpleType>: XMLSimpleType, ExpressibleByArrayLiteral, RandomAccessCollection,
    MutableCollection, RangeReplaceableCollection
{
    /// The values.
    public var items: [Item]

    /// Creates an empty list.
    public init() { items = [] }

    /// Creates a list of values.
    public init(_ items: [Item]) { self.items = items }

    /// Creates a list of the values of a literal.
    public init(arrayLiteral elements: Item...) { items = elements }

    /// The position of the first value.
    public var startIndex: Int { items.startIndex }

    /// The position after the last value.
    public var endIndex: Int { items.endIndex }

    /// The value at a position.
    public subscript(position: Int) -> Item {
        get { items[position] }
        set { items[position] = newValue }
    }

    /// Replaces the values of a range of positions.
    public mutating func replaceSubrange(_ range: Range<Int>, with values: some Collection<Item>) {
        items.replaceSubrange(range, with: values)
    }

    /// Reads the values, which are separated by white space.
    ///
    /// - Throws: Errors of a value's initializer.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        items = []
        for part in text.utf8.split(whereSeparator: \.isXMLSpace) {
            items.append(try Item(xmlText: String(Substring(part)), in: scope))
        }
    }

    /// Returns the values' texts with spaces between them.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if the text of a value is empty or has white space, so that
    ///   it would not be read as one value, and errors of a value.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        var texts: [String] = []
        for item in items {
            let text = try item.xmlText(in: &scope)
            // Such a text would be read as no value or several values.
            guard !text.isEmpty, !text.utf8.contains(where: \.isXMLSpace) else {
                throw .invalid(text: text, type: "an item of a list")
            }
            texts.append(text)
        }
        return texts.joined(separator: " ")
    }
}
