// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import PolicyFiles
import SOAPClients
import WSDLCompiler
import XMLValues

/// An operation of a description, which is called without generated code.
struct ServiceCall: Sendable {
    let description: ServiceDescription
    let port: Port
    let operation: Operation
    /// The URL for the request.
    let endpoint: String

    private var coder: DynamicCoder { DynamicCoder(description.schema) }

    /// - Throws: ``SOAPCommandError`` if the description has no such operation, or if the service's URL is unknown.
    init(of name: String, port: String?, in description: ServiceDescription, at endpoint: String?) throws {
        self.description = description
        (self.port, operation) = try description.operation(named: name, port: port)
        guard let endpoint = endpoint ?? self.port.endpoint else { throw SOAPCommandError.noEndpoint }
        self.endpoint = endpoint
    }

    var version: SOAPVersion { port.version == .soap11 ? .soap11 : .soap12 }

    /// The operation in the form that the client calls.
    var soapOperation: SOAPOperation<SOAPAnyBody, SOAPAnyBody> {
        SOAPOperation(
            operation.name, action: operation.action, input: nil, output: nil, isOneWay: operation.output == nil)
    }

    /// Returns the request's Body for its data in JSON.
    func request(forJSON data: [UInt8]) throws -> SOAPAnyBody {
        var body = try SOAPAnyBody(elementsIn: coder.body(forJSON: data, of: operation.input))
        guard operation.input.isEncoded else { return body }
        // The encodingStyle attribute tells the receiver the encoding rules (SOAP 1.1 section 4.1.1).
        let style = version == .soap11 ? XMLNamespace.encoding11 : XMLNamespace.encoding12
        for index in body.elements.indices {
            body.elements[index].attributes[XMLName("encodingStyle", in: version.namespace)] = style
        }
        return body
    }

    /// Returns the response's Body as JSON, or `nil` if the operation has no response.
    ///
    /// Each ignored problem is passed to `report`; without it, the first problem is thrown.
    func json(of response: SOAPAnyBody, reporting report: ((WSDLCompilerError) -> Void)?) throws -> String? {
        guard let output = operation.output else { return nil }
        let document = try response.document
        do throws(WSDLCompilerError) {
            return try coder.json(fromBody: document, of: output, reporting: report)
        } catch {
            guard case .value = error else { throw error }
            throw SOAPCommandError.unreadableResponse(error)
        }
    }
}

extension ServiceDescription {
    /// Finds an operation.
    ///
    /// - Parameters:
    ///   - name: The name of the operation, which is case-sensitive.
    ///   - portName: The name of the port; `nil` selects the first port of the only port type that has the operation.
    /// - Returns: The port and the operation.
    /// - Throws: ``SOAPCommandError``.
    func operation(named name: String, port portName: String?) throws -> (port: Port, operation: Operation) {
        let all = services.flatMap(\.ports)
        let ports = all.filter { portName == nil || $0.name == portName }
        if let portName, ports.isEmpty { throw SOAPCommandError.noPort(portName, all.map(\.name)) }
        let found = ports.compactMap { port in
            port.operations.first { $0.name == name }.map { (port: port, operation: $0) }
        }
        guard let first = found.first else {
            let names = ports.flatMap(\.operations).map(\.name)
            throw SOAPCommandError.noOperation(name, nearest: Spelling.nearest(to: name, among: names))
        }
        guard portName != nil || Set(found.map(\.port.portType)).count == 1 else {
            throw SOAPCommandError.severalPorts(name, found.map(\.port.name))
        }
        return first
    }
}

extension SOAPAnyBody {
    /// Creates a Body from the text of its elements.
    init(elementsIn text: [UInt8]) throws(XMLValueError) {
        self.init(try XMLAnyValue(xml: Array("<Body>".utf8) + text + Array("</Body>".utf8)).elements)
    }

    /// The Body as a document.
    var document: [UInt8] {
        get throws(XMLValueError) {
            var writer = XMLWriter()
            try writer.any(XMLElementValue(XMLName("Body"), content: elements.map { .element($0) }))
            return writer.bytes
        }
    }
}
