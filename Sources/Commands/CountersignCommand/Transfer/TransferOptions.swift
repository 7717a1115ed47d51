// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import HTTPTypes

/// What every command takes that sends a request to URLs.
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
    /// Refuses options that would do nothing, because they are mistakes.
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
        try cookies.refuseLineBreaks()
        try refuseContradictionsOfSession(environment)
        if json, cookies.cookieJar == "-" { throw UsageError.contradiction("--json", "-c -") }
        if trace == "-", outputs.isStandardOutput, !json { throw UsageError.useless("--trace -", without: "-o FILE") }
        if trace == "-", json { throw UsageError.useless("--trace - beside --json", without: "a separate file") }
    }

    /// The fields of every `-H`, those of files included.
    func fields() throws -> HTTPFields {
        var fields = try request.fields()
        if let cookie = cookies.field { fields[.cookie] = fields[.cookie].map { "\($0); \(cookie)" } ?? cookie }
        return fields
    }
}
