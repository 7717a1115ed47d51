// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import HTTPTypes

/// A command that sends a request to each of its URLs.
protocol TransferCommand: ConsoleCommand {
    static var method: HTTPRequest.Method { get }

    var urls: [String] { get }
    var options: TransferOptions { get }
    var body: BodyOptions { get }
    /// Whether an interrupted download is resumed.
    var continues: Bool { get }
}

extension TransferCommand {
    var continues: Bool { false }
    var wantsJSON: Bool { options.json }
    var subject: String? { urls.first }

    func perform(on console: Console) async throws -> CommandStatus {
        try refuseBodyWithoutUse()
        let run = TransferRun(
            method: options.request.method ?? Self.method, urls: urls, options: options, body: body,
            continues: continues, console: console)
        return try await run.perform()
    }

    /// GET and HEAD have no body; `get -X METHOD` sends another method, which may have one.
    private func refuseBodyWithoutUse() throws(UsageError) {
        try body.refuseContradictions()
        let name = Self.configuration.commandName ?? ""
        if Self.method == .head, options.request.method != nil { throw .contradiction("head", "--request") }
        let isBodyless = Self.method == .head || Self.method == .get && options.request.method == nil
        if isBodyless, !body.goesIntoQuery, let option = body.given.first { throw .noBody(name, option) }
        let mustHaveBody = [.post, .put, .patch].contains(Self.method) && options.request.method == nil
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
    static let body = """
        With --data, --data-file, --upload-file, --json-body or --form the request has a body. --json is no such option: with \
        every command it prints a report for programs.
        """
}
