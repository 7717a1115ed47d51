// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// What every command takes that sends a request.
struct TransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "A field to send, such as \"Accept: text/csv\"; repeatable.",
            discussion: "@FILE reads fields from a file, one a line: what a command line holds, everybody sees.",
            valueName: "field"), transform: HeaderOption.init)
    var header: [HeaderOption] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to put the body: a file that appears only when it is complete, and stays as it was where the status is no success.",
            discussion: """
                '-' is standard output. The file keeps the owner and the rights of the one that it replaces, where that is permitted. \
                Compression is not asked for, so that the length is known beforehand; what is compressed all the same is decoded.
                """, valueName: "file"))
    var output: String?

    /// The file of `-o`; `nil` where the body goes to standard output.
    var outputPath: String? { output == "-" ? nil : output }

    @Flag(help: "Deliver the body as it is sent, without asking for compression and without undoing it.")
    var noDecode = false

    @Flag(help: "Print nothing of the page that comes with a status of 400 or more.")
    var fail = false

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
            "Show what -v and --json hide: the values of URL parameters and fields whose names look secret.",
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

    @OptionGroup(title: "Patience")
    var patience: PatienceOptions

    /// A flag that would do nothing is a mistake that somebody had better hear of.
    ///
    /// Throws ``UsageError``; `SessionError` where the environment's proxies cannot be read.
    func refuseFlagsWithoutUse(_ environment: [String: String]) throws {
        try credentials.refuseFlagsWithoutUse()
        try route.refuseFlagsWithoutUse(environment)
        try protocols.refuseContradictions()
        try patience.refuseFlagsWithoutUse()
        if json, output == "-" { throw UsageError.contradiction("--json", "-o -") }
        if json, cookies.cookieJar == "-" { throw UsageError.contradiction("--json", "-c -") }
        if trace == "-", outputPath == nil, !json { throw UsageError.useless("--trace -", without: "-o FILE") }
        if trace == "-", json { throw UsageError.useless("--trace - beside --json", without: "a file of its own") }
    }

    /// The fields of every `-H`, those of files included.
    func fields() throws -> HTTPFields {
        var fields = HTTPFields()
        for option in header { fields.append(contentsOf: try option.fields()) }
        if let cookie = cookies.field { fields[.cookie] = fields[.cookie].map { "\($0); \(cookie)" } ?? cookie }
        return fields
    }
}
