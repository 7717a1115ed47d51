// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A value that an element's attributes and content hold.
///
/// Generated types and all built-in types conform.
public protocol XMLCodable: Sendable, Equatable {
    /// The type's name in its schema; `nil` for an anonymous type, which is the default.
    ///
    /// SOAP's encoding writes it as `xsi:type`.
    static var xmlType: XMLName? { get }

    /// Writes the attributes, then the content, of an element that is open.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the attributes and the content of the element that the reader stands in.
    init(from xml: inout XMLReader) throws(XMLValueError)
}

extension XMLCodable {
    /// No name.
    public static var xmlType: XMLName? { nil }
}

/// Elements of a content model with no element around them: choices, repeated sequences, substitution groups.
public protocol XMLGroup: Sendable, Equatable {
    /// Whether the reader's next element can be the first of the group.
    static func begins(at xml: borrowing XMLReader) -> Bool

    /// Writes the elements into the element that is open.
    func encode(to xml: inout XMLWriter) throws(XMLValueError)

    /// Reads the elements from the reader's next one on.
    init(from xml: inout XMLReader) throws(XMLValueError)
}
