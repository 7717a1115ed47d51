// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import WSDLCompiler
import XMLDocuments

/// `countersign soap describe`.
struct DescribeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "Show the ports, operations and types of a service.",
        discussion: """
            Each operation is shown with its input and output. '*' marks repeated parts, '?' optional ones. \
            With an operation's name, a sample of its data is printed as JSON, for 'countersign soap call --data'.

            Example: countersign soap describe https://bank.example/accounts?wsdl --types
            """)

    @OptionGroup
    var input: DescriptionOptionGroup

    @OptionGroup
    var session: SessionOptionGroups

    @Option(help: ArgumentHelp("Print a sample of this operation's data.", valueName: "operation"))
    var sample: String?

    @Flag(help: "Show the types too.")
    var types = false

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { input.description }

    func perform(on console: Console) async throws -> CommandStatus {
        try input.refuse(session.credentials)
        let description = try await input.read(in: session, on: console)
        if let sample {
            let operation = try description.operation(named: sample, port: nil).operation
            try console.print(SampleRequest(of: operation, in: description.schema).json())
            return .done
        }
        if json {
            try console.print(json: DescriptionReport(description))
            return .done
        }
        let outline = ServiceOutline(description)
        for line in outline.services { try console.print(line) }
        if types { for line in outline.types { try console.print(line) } }
        return .done
    }
}

/// The JSON output of `describe --json`.
struct DescriptionReport: Encodable {
    struct Service: Encodable {
        let name: String
        let documentation: String?
        let ports: [Port]
    }

    struct Port: Encodable {
        let name: String
        let endpoint: String?
        let soap: String
        let operations: [Operation]
    }

    struct Operation: Encodable {
        let name: String
        let action: String
        let style: String
        let isEncoded: Bool
        let documentation: String?
        let input: [String]
        let output: [String]?
        let headers: [String]
        let faults: [String]
    }

    let targetNamespace: String
    let services: [Service]
    let types: [String]
    let elements: [String]
    let warnings: [String]

    init(_ description: ServiceDescription) {
        targetNamespace = description.targetNamespace
        services = description.services.map { service in
            Service(
                name: service.name.local, documentation: service.documentation, ports: service.ports.map(Port.init))
        }
        types = description.schema.typeOrder.map(\.description)
        elements = description.schema.elementOrder.map(\.description)
        warnings = description.warnings.map(\.description)
    }
}

extension DescriptionReport.Port {
    fileprivate init(_ port: Port) {
        self.init(
            name: port.name, endpoint: port.endpoint, soap: port.version == .soap11 ? "1.1" : "1.2",
            operations: port.operations.map { operation in
                DescriptionReport.Operation(
                    name: operation.name, action: operation.action,
                    style: operation.style == .document ? "document" : "rpc", isEncoded: operation.input.isEncoded,
                    documentation: operation.documentation, input: operation.input.body.names,
                    output: operation.output?.body.names, headers: operation.input.headers.map(\.name.description),
                    faults: operation.faults.map(\.name))
            })
    }
}

extension Operation.Body {
    /// The names of the elements in the body.
    fileprivate var names: [String] {
        switch self {
        case .empty: []
        case .element(let element): [element.name.description]
        case .parts(let wrapper, let elements): wrapper.map { [$0.description] } ?? elements.map(\.name.description)
        }
    }
}
