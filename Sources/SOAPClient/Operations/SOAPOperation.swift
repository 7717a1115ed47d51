// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An operation of a service: how its messages look, and what it may throw.
///
/// Generated code declares one for each operation of a description.
public struct SOAPOperation<Input: XMLCodable, Output: XMLCodable>: Sendable {
    /// Its name in the description.
    public let name: String
    /// `SOAPAction`, the parameter `action` of SOAP 1.2, and `Action` of WS-Addressing; empty for none.
    public let action: String
    /// The version of its binding; `nil` for the client's.
    public let version: SOAPVersion?
    /// The element in the Body of the request; `nil` where the value writes what stands right in the Body.
    public let input: XMLName?
    /// The element in the Body of the response; `nil` where the value reads what stands right in the Body.
    public let output: XMLName?
    /// How the request's values are written.
    public let inputEncoding: SOAPEncoding
    /// How the response's values are written.
    public let outputEncoding: SOAPEncoding
    /// Whether no message comes back.
    public let isOneWay: Bool
    /// The errors that a fault's detail can be.
    public let faults: [any SOAPFaultDetail.Type]

    /// An operation.
    ///
    /// - Parameters:
    ///   - name: Its name in the description.
    ///   - action: `SOAPAction`, or the parameter `action` of SOAP 1.2.
    ///   - version: The version of its binding; `nil` for the client's.
    ///   - input: The element in the Body of the request; `nil` for ``SOAPNothing`` and ``SOAPBodyParts``.
    ///   - output: The element in the Body of the response; `nil` for ``SOAPNothing`` and ``SOAPBodyParts``.
    ///   - inputEncoding: How the request's values are written.
    ///   - outputEncoding: How the response's values are written.
    ///   - isOneWay: Whether no message comes back.
    ///   - faults: The errors that a fault's detail can be.
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
