// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The elements of a Body as they are, for calls without generated code.
public struct SOAPAnyBody: SOAPBodyParts {
    /// The elements, in their order.
    public var elements: [XMLElementValue]

    /// A Body by its elements.
    public init(_ elements: [XMLElementValue] = []) { self.elements = elements }

    /// Writes the elements.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.any(elements) }

    /// Reads all elements.
    public init(from xml: inout XMLReader) throws(XMLValueError) { elements = try xml.anys(.any) }
}
