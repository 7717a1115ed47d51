// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The value of an empty Body.
public struct SOAPNothing: XMLCodable {
    /// Creates the value.
    public init() {}

    /// Writes nothing, and never throws.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {}

    /// Reads nothing, and never throws.
    public init(from xml: inout XMLReader) throws(XMLValueError) {}
}

/// A value that is the content of the Body itself, for a binding of document style whose messages have several parts.
///
/// The value writes the child elements of the Body, and its reader stands in the Body.
public protocol SOAPBodyParts: XMLCodable {}
