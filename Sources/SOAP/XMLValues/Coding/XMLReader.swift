// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
public import XMLDocuments

/// Reads an element: its attributes, its text, and its elements one after the other.
///
/// Generated types read themselves with it. Every function that reads child elements throws ``XMLValueError/unexpectedText(_:at:)`` where
/// text stands before the element, unless ``XMLReadingOptions/isLenient`` is set, and ``XMLValueError/tooDeep(depth:at:)`` where elements
/// are nested deeper than ``XMLReadingOptions/depth``. Where references of SOAP's encoding are followed, it also throws
/// ``XMLValueError/missingReference(_:at:)``, ``XMLValueError/circularReference(_:at:)`` and ``XMLValueError/tooManyReferences(most:at:)``.
public struct XMLReader {
    let context: XMLReadingContext
    /// The element that the reader stands in.
    package let element: XMLElement
    /// How many elements are around it.
    let depth: Int
    /// Where the elements begin that are not taken.
    var cursor: XMLCursor
    /// The text of the element where it is empty.
    var defaultText: String?

    init(_ element: XMLElement, context: XMLReadingContext, depth: Int) throws(XMLValueError) {
        guard depth < context.options.depth else { throw .tooDeep(depth: context.options.depth, at: element.place) }
        (self.element, self.context, self.depth) = (element, context, depth)
        cursor = XMLCursor(element, inAnyOrder: context.options.isLenient)
    }

    /// A reader of an element.
    ///
    /// - Parameters:
    ///   - element: An element of the tree.
    ///   - tree: The document, which lives as long as the reader.
    ///   - options: How exactly the message has to be as its schema says.
    ///   - references: The targets of references, for SOAP's encoding.
    ///   - attachments: The attachments by their content identifiers.
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)`` where the options allow no depth.
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

    /// Where the element is.
    package var place: XMLPlace { element.place }
}

// MARK: Attributes and texts

extension XMLReader {
    /// Returns the value of a required attribute.
    ///
    /// - Throws: ``XMLValueError/missingAttribute(_:at:)``, and what the value's initializer throws.
    public func attribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value {
        guard let value: Value = try optionalAttribute(local, in: namespace) else {
            throw .missingAttribute(XMLName(local, in: namespace), at: place)
        }
        return value
    }

    /// Returns the value of an attribute, or the value of the schema's default text where the attribute is absent.
    ///
    /// - Throws: What the value's initializer throws.
    public func attribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = "", default text: String
    ) throws(XMLValueError) -> Value {
        try value(element.attribute(local, in: namespace) ?? text, place: place.attribute(local))
    }

    /// Returns the value of an attribute; `nil` where the attribute is absent.
    ///
    /// - Throws: What the value's initializer throws.
    public func optionalAttribute<Value: XMLSimpleType>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value? {
        guard let text = element.attribute(local, in: namespace) else { return nil }
        return try value(text, place: place.attribute(local))
    }

    /// Returns the attributes for `xs:anyAttribute`: all except those with the given names and those such as `xsi:type` and `xsi:nil`.
    public func otherAttributes(except names: [XMLName]) -> [XMLName: String] {
        guard element.hasAttributes else { return [:] }
        return element.attributes.reduce(into: [:]) { others, attribute in
            guard attribute.name.namespace != XMLNamespace.instance, !names.contains(attribute.name) else { return }
            others[attribute.name] = attribute.value
        }
    }

    /// The type that the element names (`xsi:type`); `nil` where it names none.
    ///
    /// Where the prefix is not declared, the name has no namespace, and its local part is the whole text, with prefix and colon.
    public var xsiType: XMLName? {
        guard let text = element.attribute("type", in: XMLNamespace.instance) else { return nil }
        let name = XMLWhiteSpace.collapse.normalize(text)
        return (try? XMLName(xmlText: name, in: scope)) ?? XMLName(name)
    }

    /// Reads the text of the element as a value.
    ///
    /// - Throws: ``XMLValueError/unexpectedElement(_:at:)`` where the element holds other elements, and what the value's initializer
    ///   throws.
    public mutating func text<Value: XMLSimpleType>() throws(XMLValueError) -> Value {
        try value(takeText(), place: place)
    }

    /// The characters of the element, which may hold no element.
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

// MARK: Errors and the end

extension XMLReader {
    /// Returns the error for an element whose type is unknown, or abstract.
    ///
    /// - Parameter type: The type that the element names; `nil` where it has an abstract type and names none.
    /// - Returns: ``XMLValueError/unknownType(_:at:)`` at the reader's element.
    public func unknownType(_ type: XMLName?) -> XMLValueError { .unknownType(type, at: place) }

    /// Returns the error for a place where no element of a group begins.
    ///
    /// - Parameter group: The name of the group, for the error.
    /// - Returns: ``XMLValueError/noChoice(group:found:at:)`` with the name of the reader's next element.
    public func noChoice(_ group: String) -> XMLValueError {
        .noChoice(group: group, found: cursor.next?.name, at: place)
    }

    /// Checks that all child elements were read, and that no text stands between them.
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

/// What all readers of a document share.
final class XMLReadingContext {
    /// The document, which lives as long as its readers.
    let tree: XMLTree
    let options: XMLReadingOptions
    /// The attachments by their content identifiers.
    let attachments: (String) -> XMLAttachment?
    /// The targets of references, where these are followed.
    var references: XMLReferences?

    init(
        tree: XMLTree, options: XMLReadingOptions, attachments: @escaping (String) -> XMLAttachment?,
        references: XMLReferences?
    ) {
        (self.tree, self.options, self.attachments, self.references) = (tree, options, attachments, references)
    }
}

extension XMLElement {
    /// The elements around it and its line.
    package var place: XMLPlace {
        let path = sequence(first: self, next: \.parent).map(\.localName)
        return XMLPlace(path: path.reversed().joined(separator: "/"), line: line)
    }
}

/// How strictly a message is compared with its schema.
public struct XMLReadingOptions: Hashable, Sendable {
    /// Whether elements may stand in any order, and unknown elements and texts between elements are skipped; `false` by default.
    public var isLenient = false
    /// Whether the facets of types are checked; `true` by default.
    public var checksFacets = true
    /// How deep elements may be nested within a value; 128 by default.
    ///
    /// A level of a recursive type takes 2 to 6 KiB of the thread's stack.
    public var depth = 128

    /// The default options: the message has to follow the schema exactly.
    public static let strict = XMLReadingOptions()

    /// The order of elements is ignored, unknown elements are skipped, and facets are not checked.
    public static var lenient: XMLReadingOptions {
        var options = XMLReadingOptions()
        (options.isLenient, options.checksFacets) = (true, false)
        return options
    }

    /// Creates the strict options.
    public init() {}
}
