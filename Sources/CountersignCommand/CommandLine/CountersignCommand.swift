// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

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
        version: CommandVersion.current,
        subcommands: [
            GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self,
            DeleteCommand.self, TrustCommand.self, IdentityCommand.self, ExplainCommand.self, LabCommand.self,
            TourCommand.self,
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
