// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The white space normalization of a type (XML Schema Part 2 section 4.3.6).
public enum XMLWhiteSpace: Hashable, Sendable {
    /// White space is unchanged.
    case preserve
    /// Each tab and each line break becomes a space.
    case replace
    /// Each run of white space becomes one space, and leading and trailing white space is removed.
    case collapse
}

/// A value written as text: the value of an attribute, or of an element without child elements.
public protocol XMLSimpleType: XMLCodable {
    /// The white space normalization before a text is read; ``XMLWhiteSpace/collapse`` by default.
    static var whiteSpace: XMLWhiteSpace { get }

    /// Reads a value from a text whose white space was normalized according to ``whiteSpace``.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - scope: The namespaces in scope, for qualified names.
    /// - Throws: ``XMLValueError``, without a location.
    init(xmlText text: String, in scope: XMLScope) throws(XMLValueError)

    /// Returns the text of the value.
    ///
    /// - Parameter scope: The namespaces in scope, for qualified names. The function adds namespaces that it needs.
    /// - Returns: The text, in which `<` and `&` are not escaped.
    /// - Throws: ``XMLValueError``, without a location.
    func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String
}

extension XMLSimpleType {
    /// The default: ``XMLWhiteSpace/collapse``.
    public static var whiteSpace: XMLWhiteSpace { .collapse }

    /// Writes the text of the value.
    ///
    /// - Throws: Errors of `xmlText(in:)` and ``XMLWriter/text(_:)``.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.text(self) }

    /// Reads the value from the element's text.
    ///
    /// - Throws: ``XMLValueError/unexpectedElement(_:at:)`` if the element contains other elements, and
    ///   errors of `init(xmlText:in:)`.
    public init(from xml: inout XMLReader) throws(XMLValueError) { self = try xml.text() }
}

extension XMLSimpleType where Self: RawRepresentable, RawValue: XMLSimpleType {
    /// Reads the raw value, and returns its case.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if no case has the raw value, and errors of the
    ///   raw value's initializer.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let value = Self(rawValue: try RawValue(xmlText: text, in: scope)) else {
            throw .invalid(text: text, type: String(describing: Self.self))
        }
        self = value
    }

    /// Returns the text of the raw value.
    ///
    /// - Throws: Errors of the raw value.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        try rawValue.xmlText(in: &scope)
    }
}

extension XMLWhiteSpace {
    /// Returns a text with normalized white space.
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
    /// Whether this is an XML white space character: space, tab, line feed or carriage return.
    package var isXMLSpace: Bool { self == 0x20 || self == 9 || self == 10 || self == 13 }
}

extension String {
    /// Whether the text has leading or trailing white space, runs of white space, or white space other than spaces.
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
