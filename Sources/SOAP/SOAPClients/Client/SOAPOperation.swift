// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An operation of a service: the structure of its messages, and the errors that it can throw.
///
/// Generated code declares one for each operation of a service description.
public struct SOAPOperation<Input: XMLCodable, Output: XMLCodable>: Sendable {
    /// The operation's name in the service description.
    public let name: String
    /// The value of `SOAPAction`, of the SOAP 1.2 parameter `action`, and of the WS-Addressing header `Action`; empty
    /// for none.
    public let action: String
    /// The SOAP version of the operation's binding; `nil` for the client's version.
    public let version: SOAPVersion?
    /// The element in the Body of the request; `nil` if the value is the entire content of the Body.
    public let input: XMLName?
    /// The element in the Body of the response; `nil` if the value is the entire content of the Body.
    public let output: XMLName?
    /// The encoding of the request's values: literal, or the SOAP encoding of a version.
    public let inputEncoding: SOAPEncoding
    /// The encoding of the response's values: literal, or the SOAP encoding of a version.
    public let outputEncoding: SOAPEncoding
    /// Whether the service sends no response message.
    public let isOneWay: Bool
    /// The errors that a call can throw, depending on the detail of a fault.
    public let faults: [any SOAPFaultDetail.Type]

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - name: The operation's name in the service description.
    ///   - action: The value of `SOAPAction`, of the SOAP 1.2 parameter `action`, and of the WS-Addressing header
    ///     `Action`; empty, the default, for none.
    ///   - version: The SOAP version of the operation's binding; `nil`, the default, for the client's version.
    ///   - input: The element in the Body of the request; `nil` for ``SOAPEmptyBody`` and ``SOAPBodyParts``.
    ///   - output: The element in the Body of the response; `nil` for ``SOAPEmptyBody`` and ``SOAPBodyParts``.
    ///   - inputEncoding: The encoding of the request's values; literal by default.
    ///   - outputEncoding: The encoding of the response's values; literal by default.
    ///   - isOneWay: Whether the service sends no response message; `false` by default.
    ///   - faults: The errors that a call can throw, depending on the detail of a fault; none by default.
    public init(
        _ name: String, action: String = "", version: SOAPVersion? = nil, input: XMLName?, output: XMLName?,
        inputEncoding: SOAPEncoding = .literal, outputEncoding: SOAPEncoding = .literal, isOneWay: Bool = false,
        faults: [any SOAPFaultDetail.Type] = []
    ) {
        (self.name, self.action, self.version) = (name, action, version)
        (self.input, self.output) = (input, output)
        (self.inputEncoding, self.outputEncoding) = (inputEncoding, outputEncoding)
        (self.isOneWay, self.faults) = (isOneWay, faults)
    }
}

/// The value for an empty Body.
public struct SOAPEmptyBody: XMLCodable {
    /// Creates the value.
    public init() {}

    /// Writes nothing, and never throws.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {}

    /// Reads nothing, and never throws.
    public init(from xml: inout XMLReader) throws(XMLValueError) {}
}

/// A value that is the entire content of the Body, for a document-style binding whose messages have several parts.
///
/// The value writes and reads the child elements of the Body.
public protocol SOAPBodyParts: XMLCodable {}

/// The uninterpreted elements of a Body, for calls without generated code.
public struct SOAPAnyBody: SOAPBodyParts {
    /// The elements, in order.
    public var elements: [XMLElementValue]

    /// Creates a Body with elements; an empty one by default.
    public init(_ elements: [XMLElementValue] = []) { self.elements = elements }

    /// Writes the elements.
    ///
    /// - Throws: `XMLValueError` if an element cannot be written.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.any(elements) }

    /// Reads all elements.
    ///
    /// - Throws: `XMLValueError.tooDeep` and `XMLValueError.unexpectedText`.
    public init(from xml: inout XMLReader) throws(XMLValueError) { elements = try xml.anys(.any) }
}
