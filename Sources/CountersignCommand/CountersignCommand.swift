// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The command `countersign`.
@main
struct CountersignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Reach protected resources, and find out why a connection fails.",
        discussion: """
            Exit status: 0 done; 1 the operation failed; 2 usage; 3 the server is not trusted; 4 not authenticated; 128 and the \
            number of the signal that ended it: 129 (SIGHUP), 130 (Ctrl-C), 141 (its output is read no further), 143 (SIGTERM).

            Example: countersign get https://intranet.example/report.pdf --anchor ca.pem --user mary -o report.pdf
            """,
        version: "0.1.0",
        subcommands: [
            GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self,
            DeleteCommand.self, TrustCommand.self, LabCommand.self, TourCommand.self,
        ]
    )

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        runExternalCommand(for: arguments)
        let closedNumber = StandardDescriptors.closedNumber(in: arguments)
        StandardDescriptors.occupyClosed()
        // A closed standard output is an error of the write, so that the command can clean up.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            // ArgumentParser answers 'help' for an unknown command with the help of the program.
            if arguments.contains("help") { refuseUnknownName(in: CommandPath(arguments)) }
            let command = try command(for: arguments)
            if let closedNumber { throw UsageError.closedFileDescriptor(closedNumber) }
            guard let command = command as? any ConsoleCommand else {
                var command = command
                return try command.run()
            }
            await Self.run(command, on: .standard()).end()
        } catch let error as UsageError {
            Console.standard().complain(Failure(error).text)
            CommandStatus.usage.end()
        } catch {
            guard exitCode(for: error) == .success else {
                let path = CommandPath(arguments)
                refuse(unknownName(in: path) ?? UsageMessage(error, at: path, for: arguments))
            }
            let asksForHelp = arguments.allSatisfy { ["help", "--help", "-h"].contains($0) }
            printHelp(fullMessage(for: error) + (asksForHelp ? ExternalCommands.installed().help : ""))
        }
    }

    private static func runExternalCommand(for arguments: [String]) {
        do {
            try ExternalCommands.installed().run(for: arguments)
        } catch {
            let failure = Failure(error)
            Console.standard().complain(failure.text)
            failure.status.end()
        }
    }

    private static func refuseUnknownName(in path: CommandPath) {
        guard path.asksForHelp, let message = unknownName(in: path) else { return }
        refuse(message)
    }

    private static func unknownName(in path: CommandPath) -> UsageMessage? {
        UsageMessage(unknownNameIn: path, besides: ExternalCommands.installed().names)
    }

    private static func refuse(_ message: UsageMessage) -> Never {
        Console.standard().complain(message.text)
        CommandStatus.usage.end()
    }

    private static func printHelp(_ text: String) {
        let console = Console.standard()
        do {
            try console.print(text)
        } catch {
            let failure = Failure(error)
            if failure.status != .outputClosed { console.complain(failure.text) }
            failure.status.end()
        }
    }

    /// Runs a command until it ends or a signal ends it; it cleans up either way.
    private static func run(_ command: any ConsoleCommand, on console: Console) async -> CommandStatus {
        let work = Task { await command.report(on: console) }
        let watch = SignalHandler(restore: { console.prompter?.restore() }, cancel: { work.cancel() })
        defer { watch.stop() }
        return watch.status(await work.value)
    }
}

/// A command that is told where to print and whom to ask, so that tests can be both.
protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Whether errors are printed as JSON too.
    var wantsJSON: Bool { get }

    /// The URL or the server that the command is about, for errors in JSON; `nil` where it is about files.
    var subject: String? { get }

    func perform(on console: Console) async throws -> CommandStatus
}

extension ConsoleCommand {
    var subject: String? { nil }

    /// Performs the command and prints what went wrong.
    func report(on console: Console) async -> CommandStatus {
        do {
            return try await perform(on: console)
        } catch {
            // What an interruption breaks off fails in many ways; that it was interrupted says more.
            let failure = Failure(Task.isCancelled ? CancellationError() : error)
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
