// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The content of an empty Body.
public struct SOAPNothing: XMLCodable {
    /// A body without content.
    public init() {}

    /// Writes nothing.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {}

    /// Reads nothing.
    public init(from xml: inout XMLReader) throws(XMLValueError) {}
}

/// Several elements right in the Body, as a binding of document style with many parts has them.
///
/// The value writes the elements of the Body, and its reader stands in the Body.
public protocol SOAPBodyParts: XMLCodable {}
