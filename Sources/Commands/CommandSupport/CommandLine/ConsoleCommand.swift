// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import Countersign

/// A command that is told where to print and whom to ask, so that tests can be both.
package protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Whether errors are printed as JSON too.
    var wantsJSON: Bool { get }

    /// The URL or the server that the command is about, for errors in JSON; `nil` where it is about files.
    var subject: String? { get }

    func perform(on console: Console) async throws -> CommandStatus
}

extension ConsoleCommand {
    package var subject: String? { nil }

    /// Performs the command and prints what went wrong.
    package func report(on console: Console) async -> CommandStatus {
        do {
            return try await perform(on: console)
        } catch {
            // What an interruption breaks off fails in many ways; that it was interrupted says more.
            var failure = Failure(Task.isCancelled ? CancellationError() : error)
            if Failure.hintedCodes.contains(failure.code) {
                failure.optionNames = Set(CommandShape(of: Self.self).longNames)
            }
            // The reader has gone on purpose, as 'head' does.
            if failure.status == .outputClosed { return failure.status }
            if wantsJSON {
                let circumstances = (error as? CommandFailure)?.circumstances
                // Where even that cannot be written, standard error is what is left.
                let report = FailureReport(failure, under: circumstances, about: subject.map(Redaction.url))
                try? console.print(json: report)
            }
            if failure.status != .interrupted || !wantsJSON { console.complain(failure.text) }
            return failure.status
        }
    }
}
