// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport

/// The command `countersign`.
@main
struct CountersignCommand: CommandProgram {
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
            TransferCommand<Get>.self, TransferCommand<Head>.self, TransferCommand<Post>.self,
            TransferCommand<Put>.self, TransferCommand<Patch>.self, TransferCommand<Delete>.self, TrustCommand.self,
            IdentityCommand.self, ComposeCommand.self, ExplainCommand<CountersignCommand>.self,
            LabCommand.self, TourCommand.self, TopicsCommand.self,
        ]
    )

    static func main() async {
        runExternalCommand(for: Array(CommandLine.arguments.dropFirst()))
        await start()
    }

    static var externalNames: [String] { externalCommands.names }
    static var helpEnding: String { externalCommands.help }

    /// Whether no external command takes the place of a name.
    static func isOwnName(_ name: String) -> Bool {
        // Up to the name only: what describes a command takes time to make.
        name == "help" || configuration.subcommands.contains { $0.configuration.commandName == name }
    }

    private static var externalCommands: ExternalCommands { .installed(besides: isOwnName) }

    private static func runExternalCommand(for arguments: [String]) {
        do {
            try externalCommands.run(for: arguments)
        } catch {
            let failure = Failure(error)
            Console.standard().complain(failure.text)
            failure.status.end()
        }
    }

    private static let transferCommands = Set(
        configuration.subcommands.filter { $0 is any TransferOptions.Type }.map { $0.configuration.commandName ?? "" })

    /// Explains an option of curl's that the command does not have.
    static func refuse(_ scan: ArgumentScan) throws(UsageError) {
        guard let command = scan.path.first, transferCommands.contains(command) else { return }
        for use in scan.uses where use.parameter == nil {
            guard let sentence = CurlFlag.named(use.spelling)?.sentence(for: use.spelling) else { continue }
            throw .curl(sentence)
        }
    }
}
