// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import HTTPTypes

/// A command that sends a request to each of its URLs.
///
/// The option groups are declared next to each other and not nested: in a debug build, ArgumentParser checks a nested
/// group four times as often as the enclosing one, and parsing took a second.
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

    @Flag(help: "Deliver the body as it is sent, without requesting compression and without decoding.")
    var noDecode = false

    @Flag(help: "Request compression and decode it, even if the body goes to a file.")
    var compressed = false

    @Option(
        help: ArgumentHelp(
            "Record every exchange in this file (HAR 1.2), without secrets and without bodies.",
            discussion: """
                Credentials, cookies, and the values of fields and parameters whose names look secret are left out. Only \
                its owner can read the file. '-' is standard output, if the body goes to -o.
                """, valueName: "file"))
    var trace: String?

    @Flag(help: "Print a report as JSON instead of the body, which then goes to -o alone.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Print the heads of requests and responses, the answer to each challenge, and the properties of connections.",
            discussion: "Credentials, cookies, and values whose names look secret are hidden (--show-secrets)."))
    var verbose = false

    @Flag(
        help: ArgumentHelp(
            "Show what -v, -w and --json hide: credentials, cookies, and values whose names look secret.",
            discussion: "Users and passwords of URLs stay hidden, and so does every secret of --trace."))
    var showSecrets = false

    @OptionGroup(title: "Cookies")
    var cookies: CookieOptions

    @OptionGroup(title: "Credentials")
    var credentials: CredentialOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Connection")
    var route: RouteOptions

    @OptionGroup(title: "Protocols")
    var protocols: ProtocolOptions

    @OptionGroup(title: "Timeouts")
    var timeouts: TimeoutOptions

    var wantsJSON: Bool { json }
    var subject: String? { urls.first }

    func perform(on console: Console) async throws -> CommandStatus {
        try checkBody()
        let services = try ServiceTargets(urls, host: request.serviceHost)
        var options = self
        if let services { options.trust = try services.trust(self) }
        let run = TransferRun(
            method: request.method ?? Kind.method, urls: urls, services: services, options: options, body: body,
            partialFiles: resumption.partialFiles, console: console)
        return try await run.perform()
    }

    /// Refuses a body for GET and HEAD; `get -X METHOD` sends another method, which may have a body.
    private func checkBody() throws(UsageError) {
        try body.checkContradictions()
        let name = Self.configuration.commandName ?? ""
        if Kind.method == .head, request.method != nil { throw .contradiction("head", "--request") }
        let isBodyless = Kind.method == .head || Kind.method == .get && request.method == nil
        if isBodyless, !body.goesIntoQuery, let option = body.given.first { throw .noBody(name, option) }
        let mustHaveBody = [.post, .put, .patch].contains(Kind.method) && request.method == nil
        if mustHaveBody, body.goesIntoQuery { throw .contradiction(name, "--get") }
    }
}

/// The options of every command that sends requests to URLs.
protocol TransferOptions: SessionOptions {
    var request: RequestOptions { get }
    var outputs: OutputOptions { get }
    var parallel: ParallelOptions { get }
    var noDecode: Bool { get }
    var compressed: Bool { get }
    var trace: String? { get }
    var json: Bool { get }
    var showSecrets: Bool { get }
    var cookies: CookieOptions { get }
}

extension TransferOptions {
    /// Throws an error for options that contradict each other or have no effect, because they are mistakes.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - urls: The number of URLs.
    /// - Throws: ``UsageError``; `SessionError` if the environment's proxies cannot be read.
    func checkUnusedOptions(_ environment: [String: String], urls: Int) throws {
        try request.checkContradictions()
        try outputs.checkContradictions(urlCount: urls, json: json)
        try parallel.checkUnusedOptions()
        if parallel.isParallel, urls > 1, outputs.isStandardOutput {
            throw UsageError.useless("--parallel", without: "-O or -o for each URL")
        }
        if json, urls > 1 { throw UsageError.contradiction("--json", "several URLs") }
        if compressed, noDecode { throw UsageError.contradiction("--compressed", "--no-decode") }
        try cookies.checkLineBreaks()
        try checkSessionOptions(environment)
        if json, cookies.cookieJar == "-" { throw UsageError.contradiction("--json", "-c -") }
        if trace == "-", outputs.isStandardOutput, !json { throw UsageError.useless("--trace -", without: "-o FILE") }
        if trace == "-", json { throw UsageError.useless("--trace - with --json", without: "a separate file") }
    }

    /// Returns the fields of every `-H`, including those from files, and the cookies.
    func fields() throws -> HTTPFields {
        var fields = try request.fields()
        if let cookie = cookies.field { fields[.cookie] = fields[.cookie].map { "\($0); \(cookie)" } ?? cookie }
        return fields
    }
}
