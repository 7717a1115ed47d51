// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The elements of a Body as they are, for calls without generated code.
public struct SOAPAnyBody: SOAPBodyParts {
    /// The elements, in their order.
    public var elements: [XMLElementValue]

    /// Creates a Body that holds elements; an empty one by default.
    public init(_ elements: [XMLElementValue] = []) { self.elements = elements }

    /// Writes the elements.
    ///
    /// - Throws: `XMLValueError` where an element cannot be written.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.any(elements) }

    /// Reads all elements.
    ///
    /// - Throws: `XMLValueError.tooDeep` and `XMLValueError.unexpectedText`.
    public init(from xml: inout XMLReader) throws(XMLValueError) { elements = try xml.anys(.any) }
}
