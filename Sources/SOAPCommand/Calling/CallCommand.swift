// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import SOAPClient
import WSDLCompiler
import XMLValues

/// `countersign soap call`.
struct CallCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call an operation of a service, with data in JSON.",
        discussion: """
            The data has the names of the description's elements; 'countersign soap describe WSDL --sample OPERATION' prints \
            an example. An attribute's name begins with '@', and null is an element that is nil. The response is printed as \
            JSON too. A fault ends with status 1.

            Example: countersign soap call bank.wsdl Balance --data '{"account": "CH93 0076 2011"}' --anchor ca.pem
            """)

    @OptionGroup
    var input: DescriptionOptionGroup

    @Argument(help: "The operation's name.")
    var operation: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The data as JSON; @FILE reads a file, and @- standard input.", valueName: "json"))
    var data: String?

    @Option(help: ArgumentHelp("The service's URL, in place of the description's.", valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The port, where several have the operation.", valueName: "name"))
    var port: String?

    @Flag(help: "Accept responses whose elements are in another order or that the description does not name.")
    var lenient = false

    @Flag(help: "Send the headers of WS-Addressing 1.0.")
    var addressing = false

    @OptionGroup(title: "Security of messages")
    var security: MessageSecurityOptions

    @Flag(help: "Print the response's Body as XML.")
    var xml = false

    @Flag(help: "Print the message, and send nothing.")
    var dryRun = false

    @Flag(help: "Print errors as JSON too.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { endpoint ?? input.description }

    func perform(on console: Console) async throws -> CommandStatus {
        try security.refuseFlagsWithoutUse()
        let description = try await input.read(on: console)
        let (port, operation) = try description.operation(named: operation, port: port)
        guard let endpoint = endpoint ?? port.endpoint else { throw SOAPCommandError.noEndpoint }
        let coder = DynamicCoder(description.schema)
        let request = try DynamicBody(xml: coder.body(forJSON: try bytes(), of: operation.input))
        let signer = try await security.signer(on: console)
        let verifier = try security.verifier()
        let response: DynamicBody? = try await input.session.withSession(for: [endpoint], on: console) { session in
            let preview = DryRun(console: console)
            var client = SOAPClient(
                session: dryRun ? preview : session, endpoint: endpoint,
                version: port.version == .soap11 ? .soap11 : .soap12)
            if lenient { client.options.reading = .lenient }
            if addressing { client.addressing = SOAPAddressing() }
            if input.session.verbose { client.interceptors = [MessagePrinter(console: console)] }
            if dryRun { client.interceptors = [preview] }
            (client.signer, client.verifier) = (signer, verifier)
            do {
                return try await client.call(operation.dynamic, request)
            } catch is DryRun.NothingSent {
                return nil
            }
        }
        guard let response else { return .done }
        if xml {
            try console.print(String(decoding: response.document, as: UTF8.self))
        } else if let output = operation.output {
            try console.print(try coder.json(fromBody: response.document, of: output))
        }
        return .done
    }

    private func bytes() throws -> [UInt8] {
        guard let data else { return Array("{}".utf8) }
        return data.hasPrefix("@") ? try InputFile.readArgument(String(data.dropFirst())) : Array(data.utf8)
    }
}

extension Operation {
    /// The operation as the client calls it.
    fileprivate var dynamic: SOAPOperation<DynamicBody, DynamicBody> {
        SOAPOperation(name, action: action, input: nil, output: nil, isOneWay: output == nil)
    }
}
