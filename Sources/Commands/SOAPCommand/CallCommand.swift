// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes
import SOAPClients
import WSDLCompiler
import XMLDocuments
import XMLValues

/// `countersign soap call`.
struct CallCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call an operation of a service, with data in JSON.",
        discussion: """
            The data has the names of the description's elements; 'countersign soap describe WSDL --sample OPERATION' prints \
            an example. An attribute's name begins with '@', and null is an element that is nil. If the description repeats a \
            group of elements, and in mixed content, '#content' is an array of the elements in their order: \
            {"#content": [{"email": "A"}, {"email": "B", "key": "K"}]}. The response is printed as JSON too. Values and \
            elements must follow the description in both directions. A fault, and a response that does not follow it, end with \
            status 1.

            Example: countersign soap call bank.wsdl Balance --data '{"account": "CH93 0076 2011"}' --anchor ca.pem
            """)

    @OptionGroup
    var input: DescriptionOptionGroup

    @Argument(help: "The operation's name.")
    var operation: String

    @OptionGroup
    var session: SessionOptionGroups

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The data as JSON; @FILE reads a file, and @- standard input.", valueName: "json"))
    var data: String?

    @Option(help: ArgumentHelp("The service's URL, instead of the description's.", valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The port, if several have the operation.", valueName: "name"))
    var port: String?

    @Flag(
        help:
            "Accept responses that do not follow the description: print the readable parts, and report the ignored problems."
    )
    var lenient = false

    @Flag(help: "Send WS-Addressing 1.0 headers.")
    var addressing = false

    @OptionGroup(title: "Message security")
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
        try security.checkUnusedOptions()
        guard input.isFetched else {
            let call = try serviceCall(in: await input.read(in: session, on: console))
            try await session.withSession(for: [call.endpoint], besides: readersOfStandardInput, on: console) {
                try await perform(call, by: $0, on: console)
            }
            return .done
        }
        // One session fetches the description and calls the service, so that each secret is read once.
        let urls = [input.description] + (endpoint.map { [$0] } ?? [])
        try await session.withSession(for: urls, besides: readersOfStandardInput, on: console) { session in
            let call = try serviceCall(in: await input.read(by: session, on: console))
            try checkEndpointOrigin(of: call)
            try await perform(call, by: session, on: console)
        }
        return .done
    }

    private func serviceCall(in description: ServiceDescription) throws -> ServiceCall {
        try ServiceCall(of: operation, port: port, in: description, at: endpoint)
    }

    /// Refuses to send credentials to an origin that the user did not name.
    private func checkEndpointOrigin(of call: ServiceCall) throws(SOAPCommandError) {
        let hasCredentials = session.credentials.firstCredentialOption != nil || security.isGiven
        guard endpoint == nil, hasCredentials else { return }
        guard DocumentReference(call.endpoint).origin == DocumentReference(input.description).origin else {
            throw .foreignEndpoint(Redaction.url(call.endpoint))
        }
    }

    private func perform(_ call: ServiceCall, by session: HTTPSession, on console: Console) async throws {
        let request = try call.request(forJSON: bytes())
        let preview = DryRun(console: console)
        var client = SOAPClient(
            session: dryRun ? preview : session, endpoint: call.endpoint, version: call.version)
        if lenient { client.options.reading = .lenient }
        if addressing { client.addressing = SOAPAddressing() }
        client.interceptors = [InlineAttachments(console: console, limits: client.options.documentLimits)]
        if self.session.verbose { client.interceptors.append(MessagePrinter(console: console)) }
        if dryRun { client.interceptors = [preview] }
        (client.signer, client.verifier) = (try await security.signer(on: console), try security.verifier(on: console))
        do {
            let response = try await client.call(call.soapOperation, request)
            if xml {
                try console.print(String(decoding: response.document, as: UTF8.self))
            } else if let text = try call.json(
                of: response,
                reporting: lenient ? { console.printError("countersign: ignored: \($0.explanation.message)") } : nil
            ) {
                try console.print(text)
            }
        } catch is DryRun.NothingSent {
            return
        } catch let fault as SOAPFault {
            for detail in fault.details {
                console.printError(String(decoding: try SOAPAnyBody([detail]).document, as: UTF8.self))
            }
            throw fault
        }
    }

    /// The names of the given options that read standard input, other than those of the session.
    private var readersOfStandardInput: [String] {
        (data == "@-" ? ["--data @-"] : []) + security.readersOfStandardInput
    }

    private func bytes() throws -> [UInt8] {
        guard let data else { return Array("{}".utf8) }
        return data.hasPrefix("@") ? try InputFile.readArgument(String(data.dropFirst())) : Array(data.utf8)
    }
}

/// Inserts the binary attachments of a response (MTOM) into its envelope, so that they are printed with it.
struct InlineAttachments: SOAPInterceptor {
    let console: Console
    let limits: XMLLimits

    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
        let type = response.headerFields[.contentType].flatMap(MediaType.init(field:))
        let isXOP = type?["type"]?.lowercased() == "application/xop+xml"
        response.envelope = try await InlinedAttachments.envelope(
            response.envelope, response.attachments, limits: limits)
        if !isXOP, !response.attachments.isEmpty {
            let count = response.attachments.count
            console.printError(
                "countersign: \(count == 1 ? "an attachment" : "\(count) attachments") of the response \(count == 1 ? "is" : "are") not printed"
            )
        }
    }
}

/// Prints the messages of `-v` on standard error, without their secrets.
struct MessagePrinter: SOAPInterceptor {
    let console: Console
    private let redaction = SOAPRedaction()

    init(console: Console) { self.console = console }

    func sending(_ request: SOAPMessage, for call: SOAPCall) async {
        console.printError("> \(call.operation) to \(Redaction.url(call.endpoint))")
        console.printError(redaction.text(of: request.envelope))
    }

    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
        console.printError("< \(response.status?.code.description ?? "")")
        console.printError(redaction.text(of: response.envelope))
    }
}

/// Prints a request instead of sending it.
struct DryRun: RequestSender, SOAPInterceptor {
    /// The error that ends the call.
    struct NothingSent: Error {}

    let console: Console

    func sending(_ request: SOAPMessage, for call: SOAPCall) async {
        try? console.print(request.text)
    }

    func send(_ request: SessionRequest) async throws -> SessionResponse { throw NothingSent() }
}
