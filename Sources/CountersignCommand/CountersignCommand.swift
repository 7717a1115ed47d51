// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Dispatch

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
            Exit status: 0 done; 1 the operation failed; 2 usage; 3 the server is not trusted; 4 not authenticated.

            Example: countersign get https://intranet.example/report.pdf --anchor ca.pem --user mary -o report.pdf
            """,
        version: "0.1.0",
        subcommands: [
            GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self,
            DeleteCommand.self, TrustCommand.self, LabCommand.self, TourCommand.self,
        ]
    )

    static func main() async {
        do {
            let command = try command(for: Array(CommandLine.arguments.dropFirst()))
            guard let command = command as? any ConsoleCommand else {
                var command = command
                return try command.run()
            }
            await Self.run(command, on: .standard()).end()
        } catch let error as UsageError {
            Console.standard().complain(Failure(error).text)
            CommandStatus.usage.end()
        } catch {
            let console = Console.standard()
            guard exitCode(for: error) == .success else {
                console.complain(fullMessage(for: error))
                CommandStatus.usage.end()
            }
            do {
                try console.print(fullMessage(for: error))
            } catch {
                console.complain(Failure(error).text)
                CommandStatus.failed.end()
            }
        }
    }

    /// Runs a command until it ends or a person interrupts it; what it opened is cleaned up either way.
    private static func run(_ command: any ConsoleCommand, on console: Console) async -> CommandStatus {
        let work = Task { await command.report(on: console) }
        let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
            // nohup wants it ignored, and that stays so.
            guard !wasIgnored(signal(number, SIG_IGN)) || number != SIGHUP else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                console.prompter?.restore()
                work.cancel()
                // Everything ends by itself, but nobody who pressed Ctrl-C is to wait for what hangs.
                DispatchQueue.global().asyncAfter(deadline: .now() + 2) {
                    console.prompter?.restore()
                    CommandStatus.interrupted.end()
                }
            }
            source.activate()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return await work.value
    }
}

/// Whether a signal's former handler was to ignore it.
private func wasIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    handler.map { unsafeBitCast($0, to: Int.self) } == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// How a command ended.
enum CommandStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case notTrusted = 3
    case notAuthenticated = 4
    case interrupted = 130

    /// Ends the process.
    func end() -> Never { exit(rawValue) }
}

/// A command that is told where to print and whom to ask, so that tests can be both.
protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Whether errors are printed as JSON too.
    var wantsJSON: Bool { get }

    func perform(on console: Console) async throws -> CommandStatus
}

extension ConsoleCommand {
    /// Performs the command and prints what went wrong.
    func report(on console: Console) async -> CommandStatus {
        do {
            return try await perform(on: console)
        } catch {
            // What an interruption breaks off fails in many ways; that it was interrupted says more.
            let failure = Failure(Task.isCancelled ? CancellationError() : error)
            if wantsJSON {
                let circumstances = (error as? CommandFailure)?.circumstances
                // Where even that cannot be written, standard error is what is left.
                try? console.print(json: FailureReport(failure, under: circumstances))
            }
            if failure.status != .interrupted || !wantsJSON { console.complain(failure.text) }
            return failure.status
        }
    }
}
