// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A value that is written as the attributes and the content of an element.
///
/// Generated types and all built-in types conform.
public protocol XMLCodable: Sendable, Equatable {
    /// The type's name in its schema; `nil` for an anonymous type, which is the default.
    ///
    /// SOAP's encoding writes it as `xsi:type`.
    static var xmlType: XMLName? { get }

    /// Writes the attributes, then the content, of the innermost open element.
    ///
    /// - Throws: ``XMLValueError`` where the value cannot be written.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the attributes and the content of the reader's element.
    ///
    /// - Throws: ``XMLValueError`` where the element does not hold such a value.
    init(from xml: inout XMLReader) throws(XMLValueError)
}

extension XMLCodable {
    /// `nil`: the type has no name in its schema.
    public static var xmlType: XMLName? { nil }
}

/// Elements of a content model with no element around them: choices, repeated sequences, substitution groups.
public protocol XMLGroup: Sendable, Equatable {
    /// Returns whether the reader's next element can be the first one of the group.
    static func begins(at xml: borrowing XMLReader) -> Bool

    /// Writes the elements of the group into the innermost open element.
    ///
    /// - Throws: ``XMLValueError`` where a value cannot be written.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the elements of the group, starting with the reader's next element.
    ///
    /// - Throws: ``XMLValueError`` where the elements do not form the group.
    init(from xml: inout XMLReader) throws(XMLValueError)
}
