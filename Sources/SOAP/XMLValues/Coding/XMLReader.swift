// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
public import XMLDocuments

/// Reads an element: its attributes, its text, and its child elements one after the other.
///
/// Generated types use it to read themselves. Every function that reads child elements throws
/// ``XMLValueError/unexpectedText(_:at:)`` if there is text before the element, unless ``XMLReadingOptions/isLenient``
/// is set, and ``XMLValueError/tooDeep(depth:at:)`` if elements are nested deeper than ``XMLReadingOptions/depth``. If
/// SOAP encoding references are followed, it also throws ``XMLValueError/missingReference(_:at:)``,
/// ``XMLValueError/circularReference(_:at:)`` and ``XMLValueError/tooManyReferences(limit:at:)``.
public struct XMLReader {
    let context: XMLReadingContext
    /// The element that the reader reads.
    package let element: XMLElement
    /// The number of enclosing elements.
    let depth: Int
    /// The child elements that have not been read yet.
    var cursor: XMLCursor
    /// The schema's default text, which is read if the element is empty.
    var defaultText: String?

    init(_ element: XMLElement, context: XMLReadingContext, depth: Int) throws(XMLValueError) {
        guard depth < context.options.depth else { throw .tooDeep(depth: context.options.depth, at: element.place) }
        (self.element, self.context, self.depth) = (element, context, depth)
        cursor = XMLCursor(element, inAnyOrder: context.options.isLenient)
    }

    /// Creates a reader of an element.
    ///
    /// - Parameters:
    ///   - element: An element of the tree.
    ///   - tree: The document, which lives as long as the reader.
    ///   - options: The strictness of the comparison with the schema.
    ///   - references: The targets of references, for the SOAP encoding.
    ///   - attachments: A closure that returns the attachment with a content identifier.
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)`` if the maximum depth of the options is 0.
    package init(
        _ element: XMLElement, of tree: XMLTree, options: XMLReadingOptions = .strict,
        references: XMLReferences? = nil, attachments: @escaping (String) -> XMLAttachment? = { _ in nil }
    ) throws(XMLValueError) {
        let context = XMLReadingContext(
            tree: tree, options: options, attachments: attachments, references: references)
        try self.init(element, context: context, depth: 0)
    }

    /// The namespaces in scope at the element.
    public var scope: XMLScope {
        XMLScope(tree: context.tree, element: element, checksFacets: context.options.checksFacets)
    }

    /// The location of the element.
    package var place: XMLPlace { element.place }
}

// MARK: Attributes and texts

extension XMLReader {
    /// Returns the value of a required attribute.
    ///
    /// - Throws: ``XMLValueError/missingAttribute(_:at:)``, and errors of the value's initializer.
    public func attribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value {
        guard let value: Value = try optionalAttribute(local, in: namespace) else {
            throw .missingAttribute(XMLName(local, in: namespace), at: place)
        }
        return value
    }

    /// Returns the value of an attribute, or the value of the schema's default text if the attribute is absent.
    ///
    /// - Throws: Errors of the value's initializer.
    public func attribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = "", default text: String
    ) throws(XMLValueError) -> Value {
        try value(element.attribute(local, in: namespace) ?? text, place: place.attribute(local))
    }

    /// Returns the value of an attribute; `nil` if the attribute is absent.
    ///
    /// - Throws: Errors of the value's initializer.
    public func optionalAttribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value? {
        guard let text = element.attribute(local, in: namespace) else { return nil }
        return try value(text, place: place.attribute(local))
    }

    /// Returns the attributes for `xs:anyAttribute`: all except the given ones and special ones such as `xsi:type`.
    public func otherAttributes(except names: [XMLName]) -> [XMLName: String] {
        guard element.hasAttributes else { return [:] }
        return element.attributes.reduce(into: [:]) { others, attribute in
            guard attribute.name.namespace != XMLNamespace.instance, !names.contains(attribute.name) else { return }
            others[attribute.name] = attribute.value
        }
    }

    /// The type that the element names (`xsi:type`); `nil` if there is none.
    ///
    /// If the prefix is not declared, the name has no namespace, and its local part is the entire text with prefix
    /// and colon.
    public var xsiType: XMLName? {
        guard let text = element.attribute("type", in: XMLNamespace.instance) else { return nil }
        let name = XMLWhiteSpace.collapse.normalize(text)
        return (try? XMLName(xmlText: name, in: scope)) ?? XMLName(name)
    }

    /// Reads the text of the element as a value.
    ///
    /// - Throws: ``XMLValueError/unexpectedElement(_:at:)`` if the element contains other elements, and errors of the
    ///   value's initializer.
    public mutating func text<Value: XMLSimpleType>() throws(XMLValueError) -> Value {
        try value(takeText(), place: place)
    }

    /// Returns the characters of the element, which must not contain elements.
    mutating func takeText() throws(XMLValueError) -> String {
        guard let text = element.textContent else {
            throw .unexpectedElement(cursor.next?.name ?? element.name, at: place)
        }
        cursor = .end
        return text.isEmpty ? defaultText ?? text : text
    }

    private func value<Value: XMLSimpleType>(
        _ text: String, place: @autoclosure () -> XMLPlace
    ) throws(XMLValueError) -> Value {
        do throws(XMLValueError) {
            return try Value(xmlText: Value.whiteSpace.normalize(text), in: scope)
        } catch {
            throw error.located(at: place())
        }
    }
}

// MARK: Errors and the end of the element

extension XMLReader {
    /// Returns the error for an element whose type is unknown or abstract.
    ///
    /// - Parameter type: The type that the element names; `nil` if it names none and its declared type is abstract.
    /// - Returns: ``XMLValueError/unknownType(_:at:)`` at the reader's element.
    public func unknownType(_ type: XMLName?) -> XMLValueError { .unknownType(type, at: place) }

    /// Returns the error for a position at which a group is expected but no element of it begins.
    ///
    /// - Parameter group: The name of the group, for the error.
    /// - Returns: ``XMLValueError/noChoice(group:found:at:)`` with the name of the reader's next element.
    public func noChoice(_ group: String) -> XMLValueError {
        .noChoice(group: group, found: cursor.next?.name, at: place)
    }

    /// Checks that all child elements were read, and that there is no text between them.
    ///
    /// Lenient reading skips the check.
    ///
    /// - Throws: ``XMLValueError/unexpectedElement(_:at:)`` and ``XMLValueError/unexpectedText(_:at:)``.
    public mutating func finish() throws(XMLValueError) {
        guard !context.options.isLenient else { return }
        if let next = cursor.next { throw .unexpectedElement(next.name, at: next.place) }
        if let text = cursor.textBeforeNext { throw .unexpectedText(text, at: place) }
    }
}

/// The state that all readers of a document share.
final class XMLReadingContext {
    /// The document, which lives as long as its readers.
    let tree: XMLTree
    let options: XMLReadingOptions
    /// The closure that returns the attachment with a content identifier.
    let attachments: (String) -> XMLAttachment?
    /// The targets of references; `nil` if references are not followed.
    var references: XMLReferences?

    init(
        tree: XMLTree, options: XMLReadingOptions, attachments: @escaping (String) -> XMLAttachment?,
        references: XMLReferences?
    ) {
        (self.tree, self.options, self.attachments, self.references) = (tree, options, attachments, references)
    }
}

extension XMLElement {
    /// The path and the line of the element.
    package var place: XMLPlace {
        let path = sequence(first: self, next: \.parent).map(\.localName)
        return XMLPlace(path: path.reversed().joined(separator: "/"), line: line)
    }
}

/// Options for the comparison of a message with its schema.
public struct XMLReadingOptions: Hashable, Sendable {
    /// Whether elements may be in any order, and unknown elements and texts between elements are skipped;
    /// `false` by default.
    public var isLenient = false
    /// Whether the facets of types are checked; `true` by default.
    public var checksFacets = true
    /// The maximum nesting depth of elements within a value; 128 by default.
    ///
    /// Each level of a recursive type needs 2 to 6 KiB of the thread's stack.
    public var depth = 128

    /// The default options: the message must match the schema exactly.
    public static let strict = XMLReadingOptions()

    /// The lenient options: the order of elements is ignored, unknown elements are skipped, and facets are not checked.
    public static var lenient: XMLReadingOptions {
        var options = XMLReadingOptions()
        (options.isLenient, options.checksFacets) = (true, false)
        return options
    }

    /// Creates the strict options.
    public init() {}
}
