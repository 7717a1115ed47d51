// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a type treats white space (XML Schema Part 2 section 4.3.6).
public enum XMLWhiteSpace: Hashable, Sendable {
    /// White space stays as it is.
    case preserve
    /// Each tab and each line break becomes a space.
    case replace
    /// Each run of white space becomes one space, and none is left at the start and the end.
    case collapse
}

/// A value that is written as a text: that of an attribute, or of an element without other elements.
public protocol XMLSimpleType: XMLCodable {
    /// How white space is normalized before a text is read; ``XMLWhiteSpace/collapse`` by default.
    static var whiteSpace: XMLWhiteSpace { get }

    /// Reads a value from a text whose white space is normalized as ``whiteSpace`` says.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - scope: The namespaces in scope, for qualified names.
    /// - Throws: ``XMLValueError``, without a place.
    init(xmlText text: String, in scope: XMLScope) throws(XMLValueError)

    /// Returns the text of the value.
    ///
    /// - Parameter scope: The namespaces in scope, for qualified names. The function adds those that it needs.
    /// - Returns: The text, in which `<` and `&` are not escaped.
    /// - Throws: ``XMLValueError``, without a place.
    func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String
}

extension XMLSimpleType {
    /// ``XMLWhiteSpace/collapse``.
    public static var whiteSpace: XMLWhiteSpace { .collapse }

    /// Writes the text of the value.
    ///
    /// - Throws: What `xmlText(in:)` throws, and what ``XMLWriter/text(_:)`` throws.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.text(self) }

    /// Reads the value from the element's text.
    ///
    /// - Throws: ``XMLValueError/unexpectedElement(_:at:)`` where the element holds other elements, and what `init(xmlText:in:)` throws.
    public init(from xml: inout XMLReader) throws(XMLValueError) { self = try xml.text() }
}

extension XMLSimpleType where Self: RawRepresentable, RawValue: XMLSimpleType {
    /// Reads the raw value, and finds its case.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where no case has the raw value, and what the raw value's initializer throws.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let value = Self(rawValue: try RawValue(xmlText: text, in: scope)) else {
            throw .invalid(text: text, type: String(describing: Self.self))
        }
        self = value
    }

    /// Returns the text of the raw value.
    ///
    /// - Throws: What the raw value throws.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        try rawValue.xmlText(in: &scope)
    }
}

extension XMLWhiteSpace {
    /// A text with its white space normalized.
    package func normalize(_ text: String) -> String {
        switch self {
        case .preserve: return text
        case .replace:
            guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 }) else { return text }
            return String(decoding: text.utf8.map { $0 == 9 || $0 == 10 || $0 == 13 ? 0x20 : $0 }, as: UTF8.self)
        case .collapse:
            guard text.needsCollapsing else { return text }
            var result: [UInt8] = []
            for byte in text.utf8 {
                if !byte.isXMLSpace {
                    result.append(byte)
                } else if let last = result.last, last != 0x20 {
                    result.append(0x20)
                }
            }
            if result.last == 0x20 { result.removeLast() }
            return String(decoding: result, as: UTF8.self)
        }
    }
}

extension UInt8 {
    /// Whether this is white space of XML: space, tab, line feed or carriage return.
    package var isXMLSpace: Bool { self == 0x20 || self == 9 || self == 10 || self == 13 }
}

extension String {
    /// Whether there is white space at an end, a run of it, or any but a space.
    fileprivate var needsCollapsing: Bool {
        var previousIsSpace = true
        for byte in utf8 {
            guard byte.isXMLSpace else {
                previousIsSpace = false
                continue
            }
            guard byte == 0x20, !previousIsSpace else { return true }
            previousIsSpace = true
        }
        return previousIsSpace && !isEmpty
    }
}
