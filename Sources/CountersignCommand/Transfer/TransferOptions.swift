// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import HTTPTypes

/// What every command takes that sends a request.
struct TransferOptions: ParsableArguments {
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

    @OptionGroup(title: "Timeouts")
    var timeouts: TimeoutOptions

    /// A flag that would do nothing is a mistake that somebody had better hear of.
    ///
    /// - Parameters:
    ///   - environment: Its variables.
    ///   - urls: How many URLs there are.
    /// - Throws: ``UsageError``; `SessionError` where the environment's proxies cannot be read.
    func refuseFlagsWithoutUse(_ environment: [String: String], urls: Int) throws {
        try request.refuseContradictions()
        try outputs.refuseContradictions(urlCount: urls, json: json)
        try parallel.refuseFlagsWithoutUse()
        if parallel.isParallel, urls > 1, outputs.isStandardOutput {
            throw UsageError.useless("--parallel", without: "-O or -o for each URL")
        }
        if json, urls > 1 { throw UsageError.contradiction("--json", "several URLs") }
        if compressed, noDecode { throw UsageError.contradiction("--compressed", "--no-decode") }
        try credentials.refuseFlagsWithoutUse()
        if credentials.remember, trust.keychain.makeClient() == nil {
            throw UsageError.useless("--remember", without: "--keychain")
        }
        try cookies.refuseLineBreaks()
        try route.refuseFlagsWithoutUse(environment)
        if credentials.methods != nil, trust.policy != nil { throw UsageError.contradiction("--methods", "--policy") }
        try protocols.refuseContradictions()
        try timeouts.refuseFlagsWithoutUse()
        if json, cookies.cookieJar == "-" { throw UsageError.contradiction("--json", "-c -") }
        if trace == "-", outputs.isStandardOutput, !json { throw UsageError.useless("--trace -", without: "-o FILE") }
        if trace == "-", json { throw UsageError.useless("--trace - beside --json", without: "a file of its own") }
    }

    /// The fields of every `-H`, those of files included.
    func fields() throws -> HTTPFields {
        var fields = try request.fields()
        if let cookie = cookies.field { fields[.cookie] = fields[.cookie].map { "\($0); \(cookie)" } ?? cookie }
        return fields
    }
}
