// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import HTTPTypes

/// One of the commands that send a request to each of their URLs.
protocol TransferKind: Sendable {
    associatedtype Resumption: ResumptionOptions = NoResumption

    static var method: HTTPRequest.Method { get }
    static var urlHelp: String { get }
    static var configuration: CommandConfiguration { get }
}

/// Whether an interrupted download is resumed.
protocol ResumptionOptions: ParsableArguments, Sendable {
    var continues: Bool { get }
}

/// Of commands that download nothing to a file.
struct NoResumption: ResumptionOptions {
    var continues: Bool { false }
}

/// A command that sends a request to each of its URLs.
///
/// The groups of options stand beside each other and not in each other: in a debug build, ArgumentParser checks a group
/// four times as often as the group around it, and parsing took a second.
struct TransferCommand<Kind: TransferKind>: ConsoleCommand, TransferOptions {
    static var configuration: CommandConfiguration { Kind.configuration }

    @Argument(help: ArgumentHelp(Kind.urlHelp, valueName: "url"))
    var urls: [String]

    @OptionGroup
    var resumption: Kind.Resumption

    @OptionGroup(title: "Body")
    var body: BodyOptions

    @OptionGroup(title: "Request")
    var request: RequestOptions

    @OptionGroup(title: "Output")
    var outputs: OutputOptions

    @OptionGroup(title: "Several URLs")
    var parallel: ParallelOptions

    @Flag(help: "Deliver the body as it is sent, without asking for compression and without undoing it.")
    var noDecode = false

    @Flag(help: "Ask for compression and undo it, also where the body goes to a file.")
    var compressed = false

    @Option(
        help: ArgumentHelp(
            "Record every exchange in this file (HAR 1.2), without secrets and without bodies.",
            discussion: """
                Credentials, cookies, and the values of fields and parameters whose names look secret are left out. Only \
                its owner can read the file. '-' is standard output, where the body goes to -o.
                """, valueName: "file"))
    var trace: String?

    @Flag(help: "Print a report as JSON instead of the body, which then goes to -o alone.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say how each challenge was answered, and what the connection is.")
    var verbose = false

    @Flag(
        help: ArgumentHelp(
            "Show what -v, -w and --json hide: the values of URL parameters and fields whose names look secret.",
            discussion: "Users and passwords of URLs stay hidden, and so does every secret of --trace."))
    var showSecrets = false

    @OptionGroup(title: "Cookies")
    var cookies: CookieOptions

    @OptionGroup(title: "Credentials")
    var credentials: CredentialOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Way there")
    var route: RouteOptions

    @OptionGroup(title: "Protocols")
    var protocols: ProtocolOptions

    @OptionGroup(title: "Timeouts")
    var timeouts: TimeoutOptions

    var wantsJSON: Bool { json }
    var subject: String? { urls.first }

    func perform(on console: Console) async throws -> CommandStatus {
        try refuseBodyWithoutUse()
        let services = try ServiceTargets(urls, host: request.serviceHost)
        var options = self
        if let services { options.trust = try services.trust(self) }
        let run = TransferRun(
            method: request.method ?? Kind.method, urls: urls, services: services, options: options, body: body,
            continues: resumption.continues, console: console)
        return try await run.perform()
    }

    /// GET and HEAD have no body; `get -X METHOD` sends another method, which may have one.
    private func refuseBodyWithoutUse() throws(UsageError) {
        try body.refuseContradictions()
        let name = Self.configuration.commandName ?? ""
        if Kind.method == .head, request.method != nil { throw .contradiction("head", "--request") }
        let isBodyless = Kind.method == .head || Kind.method == .get && request.method == nil
        if isBodyless, !body.goesIntoQuery, let option = body.given.first { throw .noBody(name, option) }
        let mustHaveBody = [.post, .put, .patch].contains(Kind.method) && request.method == nil
        if mustHaveBody, body.goesIntoQuery { throw .contradiction(name, "--get") }
    }
}

/// Sentences that the help texts of several commands share.
enum TransferHelp {
    static let answer = """
        The body of the answer goes to standard output, or with -o or -O to a file that appears only when it is complete. On a \
        terminal the command asks for what is missing; off a terminal nothing waits: the error names what was needed. A \
        status of 400 or more exits with 1, a final 401 or 407 with 4; its page is printed, and never takes the place of a \
        file unless --fail-with-body is given. Several URLs share one session; the exit status is that of the first one that \
        failed, in the order of the command line.
        """
    static let service = """
        In the place of a URL a service of the local network can be named, as 'countersign discover _https._tcp' lists it: 'My \
        web._https._tcp.local'. Where it is, is not authenticated: any computer can take any name. So one of --anchor, --pin, --policy and \
        --service-host must say which certificate is right; the anchors of --anchor then count alone. A service of \
        _http._tcp proves nothing, and is given no credential.
        """
    static let body = """
        With --data, --data-file, --upload-file, --json-body or --form the request has a body. --json is no such option: with \
        every command it prints a report for programs.
        """
}
