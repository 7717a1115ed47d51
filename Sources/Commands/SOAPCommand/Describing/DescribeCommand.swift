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
        commandName: "describe", abstract: "Show what a service offers: its ports, operations and types.",
        discussion: """
            Each operation is shown with what it takes and returns. '*' marks what may be repeated, '?' what may be left out. \
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
