// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `anyType`: the content of an element, with the type that the element names.
public struct XMLAnyValue: XMLCodable, Hashable {
    /// The type that the element names (`xsi:type`); `nil` if there is none.
    public var type: XMLName?
    /// The attributes, without special ones such as `xsi:type` and `xsi:nil`.
    public var attributes: [XMLName: String]
    /// The texts and elements, in order.
    public var content: [XMLContent]
    /// The namespaces, by prefix, of qualified names in attribute values and texts.
    public var prefixes: [String: String]

    /// Creates a value from its parts.
    public init(
        type: XMLName? = nil, attributes: [XMLName: String] = [:], content: [XMLContent] = [],
        prefixes: [String: String] = [:]
    ) {
        (self.type, self.attributes, self.content, self.prefixes) = (type, attributes, content, prefixes)
    }

    /// Creates a value that contains another value and names its type.
    ///
    /// - Throws: ``XMLValueError`` if the other value cannot be written.
    public init<Value: XMLCodable>(_ value: Value) throws(XMLValueError) {
        let bytes = try value.xml(XMLName("value"))
        self = try XMLAnyValue(xml: bytes, element: XMLName("value"))
        type = type ?? Value.xmlType
    }

    /// The texts joined, without those of child elements.
    public var text: String { content.text }

    /// The elements, without the texts between them.
    public var elements: [XMLElementValue] { content.elements }

    /// Returns the value as a value of another type.
    ///
    /// The type that the value names is not compared with the other type.
    ///
    /// - Throws: ``XMLValueError`` if the content does not match that type.
    public func value<Value: XMLCodable>(
        as type: Value.Type = Value.self, options: XMLReadingOptions = .strict
    ) throws(XMLValueError) -> Value {
        try Value(xml: xml(XMLName("value")), element: XMLName("value"), options: options)
    }

    /// Writes the type, the attributes and the content.
    ///
    /// - Throws: ``XMLValueError/name(_:at:)`` if a prefix is already used for another namespace or a name cannot be
    ///   written, ``XMLValueError/character(_:at:)``, ``XMLValueError/misplaced(at:)``,
    ///   ``XMLValueError/repeatedAttribute(_:at:)`` and ``XMLValueError/tooDeep(depth:at:)``.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        for (prefix, namespace) in prefixes.sorted(by: { $0.key < $1.key }) { try xml.declare(prefix, namespace) }
        if let type { try xml.typeAttribute(type) }
        try xml.attributes(attributes)
        try xml.mixed(content)
    }

    /// Reads the type, the attributes and the content.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` and ``XMLValueError/undeclaredPrefix(_:at:)`` for the type,
    ///   and ``XMLValueError/tooDeep(depth:at:)``.
    public init(from xml: inout XMLReader) throws(XMLValueError) {
        type = try xml.optionalAttribute("type", in: XMLNamespace.instance)
        attributes = xml.otherAttributes(except: [])
        prefixes = xml.usedPrefixes
        content = try xml.mixed()
    }
}

extension XMLElementValue {
    /// Creates an element with a value.
    ///
    /// - Throws: ``XMLValueError`` if the value cannot be written.
    public init(_ name: XMLName, _ value: some XMLCodable) throws(XMLValueError) {
        let document = try XMLTree(reading: value.xml(name))
        self = try XMLReader(document.root, of: document).elementValue()
    }

    /// Returns the content of the element as a value of a type.
    ///
    /// - Throws: ``XMLValueError`` if the content does not match that type.
    public func value<Value: XMLCodable>(
        as type: Value.Type = Value.self, options: XMLReadingOptions = .strict
    ) throws(XMLValueError) -> Value {
        var writer = XMLWriter()
        try writer.any(self)
        return try Value(xml: writer.bytes, element: name, options: options)
    }
}
