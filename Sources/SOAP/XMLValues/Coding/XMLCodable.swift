// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@_exported public import XMLDocuments

/// A value that is written as the attributes and the content of an element.
///
/// Generated types and all built-in types conform to this protocol.
public protocol XMLCodable: Sendable, Equatable {
    /// The type's name in its schema; `nil` for an anonymous type, which is the default.
    ///
    /// The SOAP encoding writes it as `xsi:type`.
    static var xmlType: XMLName? { get }

    /// Writes the attributes, then the content, of the innermost open element.
    ///
    /// - Throws: ``XMLValueError`` if the value cannot be written.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the attributes and the content of the reader's element.
    ///
    /// - Throws: ``XMLValueError`` if the element does not contain such a value.
    init(from xml: inout XMLReader) throws(XMLValueError)
}

extension XMLCodable {
    /// The default: `nil`, for a type without a name in its schema.
    public static var xmlType: XMLName? { nil }
}

/// Elements of a content model without an enclosing element: choices, repeated sequences, substitution groups.
public protocol XMLGroup: Sendable, Equatable {
    /// Returns whether the reader's next element can be the first one of the group.
    static func begins(at xml: borrowing XMLReader) -> Bool

    /// Writes the elements of the group into the innermost open element.
    ///
    /// - Throws: ``XMLValueError`` if a value cannot be written.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the elements of the group, starting with the reader's next element.
    ///
    /// - Throws: ``XMLValueError`` if the elements do not form the group.
    init(from xml: inout XMLReader) throws(XMLValueError)
}

extension XMLCodable {
    /// Reads the value from the root element of a document.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - name: The expected name of the root element; `nil`, the default, for any name.
    ///   - options: The strictness of the comparison with the schema; ``XMLReadingOptions/strict`` by default.
    ///   - limits: The limits of the document's size, depth and features.
    /// - Throws: ``XMLValueError/document(_:)`` if the document cannot be parsed,
    ///   ``XMLValueError/wrongRoot(expected:found:)`` if the root element has another name, and any other
    ///   ``XMLValueError`` if the element does not contain such a value.
    public init(
        xml bytes: [UInt8], element name: XMLName? = nil, options: XMLReadingOptions = .strict,
        limits: XMLLimits = XMLLimits()
    ) throws(XMLValueError) {
        let tree = try XMLTree(reading: bytes, limits: limits)
        let root = tree.root
        if let name, root.name != name { throw .wrongRoot(expected: name, found: root.name) }
        self = try XMLReader(root, of: tree, options: options).read(root)
    }

    /// Returns a document whose root element contains the value, in UTF-8.
    ///
    /// - Parameters:
    ///   - name: The name of the root element.
    ///   - prefixes: The prefixes that the root element declares, with their namespaces; none by default. Other
    ///     prefixes are chosen as needed.
    /// - Returns: The document, without an XML declaration.
    /// - Throws: ``XMLValueError`` if the value cannot be written.
    public func xml(
        _ name: XMLName, prefixes: [(prefix: String, namespace: String)] = []
    ) throws(XMLValueError) -> [UInt8] {
        var writer = XMLWriter(prefixes: prefixes)
        try writer.element(name.local, in: name.namespace, self)
        return writer.bytes
    }
}

extension XMLTree {
    /// Parses a document, and converts the parser's error into an ``XMLValueError``.
    convenience init(reading bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLValueError) {
        do throws(XMLDocumentError) { try self.init(parsing: bytes, limits: limits) } catch { throw .document(error) }
    }
}
