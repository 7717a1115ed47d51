// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// A command that sends one request: each is a method, and what goes with it.
protocol TransferCommand: ConsoleCommand {
    static var method: HTTPRequest.Method { get }

    var url: String { get }
    var options: TransferOptions { get }
    /// `nil` where the method has no body.
    var bodyOptions: BodyOptions? { get }
    /// Whether what an earlier run left of the file is gone on with.
    var continues: Bool { get }
}

extension TransferCommand {
    var bodyOptions: BodyOptions? { nil }
    var continues: Bool { false }
    var wantsJSON: Bool { options.json }

    func perform(on console: Console) async throws -> CommandStatus {
        let run = TransferRun(
            method: Self.method, url: url, options: options, body: bodyOptions, continues: continues, console: console)
        return try await run.perform()
    }
}

/// One whose method has a body.
protocol BodyCommand: TransferCommand {
    var body: BodyOptions { get }
}

extension BodyCommand {
    var bodyOptions: BodyOptions? { body }
}

/// What the commands say alike of themselves.
enum TransferHelp {
    static let answer = """
        The body of the answer goes to standard output, or with -o to a file that appears only when it is complete. On a \
        terminal whatever is missing is asked for; off a terminal nothing waits: the error says what was needed. A status \
        of 400 or more exits with 1, a final 401 or 407 with 4; its page is printed, and never takes the place of a file.
        """
    static let body = """
        With --data, --data-file, --json-body or --form the request has a body. --json is no such option: with every command \
        it prints a report for programs.
        """
}
