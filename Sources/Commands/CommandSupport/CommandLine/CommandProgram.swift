// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import Countersign
import ErrorExplanations
import NIOCore
internal import POSIX

/// A command line that ArgumentParser rejects.
package struct UnreadableLine: Error {
    /// The error of ArgumentParser, whose message is composed later, because composing it parses the options again.
    package let cause: any Error
}

/// A program, which is the root command of its subcommands.
package protocol CommandProgram: AsyncParsableCommand {
    /// The errors of the program.
    static var errors: ErrorCatalog { get }

    /// The names of commands that are separate programs, for suggestions.
    static var externalNames: [String] { get }

    /// The text after the program's help.
    static var helpSuffix: String { get }

    /// Throws a more specific error for a command line that ArgumentParser rejects, such as for an unknown option.
    static func refuse(_ scan: ArgumentScan) throws(UsageError)
}

extension CommandProgram {
    package static var externalNames: [String] { [] }
    package static var helpSuffix: String { "" }
    package static func refuse(_ scan: ArgumentScan) throws(UsageError) {}

    /// Parses the process's command line, runs the command and ends the process.
    ///
    /// The function starts on the caller's thread, because starting another thread would open descriptors whose numbers
    /// belong to closed standard streams.
    nonisolated(nonsending) package static func start() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let closedNumber = StandardDescriptors.closedNumber(in: arguments)
        StandardDescriptors.occupyClosed()
        // A closed standard output becomes a write error, so that the command can clean up.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            // ArgumentParser answers 'help' for an unknown command with the help of the program.
            if arguments.contains("help") {
                let path = path(arguments)
                if path.asksForHelp, let message = unknownName(in: path) { refuse(message) }
            }
            let command = try command(for: arguments)
            if let closedNumber { throw UsageError.closedFileDescriptor(closedNumber) }
            guard let command = command as? any ConsoleCommand else {
                var command = command
                return try command.run()
            }
            try secureDescriptors()
            await run(command, on: .standard(errors.options)).end()
        } catch let error as any CataloguedError {
            end(with: error)
        } catch let error as UnreadableLine {
            let path = path(arguments)
            refuse(unknownName(in: path) ?? UsageMessage(message(for: error.cause), at: path, for: arguments))
        } catch {
            let asksForHelp = arguments.allSatisfy { ["help", "--help", "-h"].contains($0) }
            printHelp(fullMessage(for: error) + (asksForHelp ? helpSuffix : ""))
        }
    }

    /// Ensures that enough descriptors are available; otherwise SwiftNIO and Dispatch crash the process.
    ///
    /// SwiftNIO uses three for each of its threads, and Dispatch seven for timers and signals; the rest is for the
    /// resolver and the first files and sockets.
    private static func secureDescriptors() throws(DescriptorShortage) {
        FileDescriptors.raiseLimit()
        var threads = System.coreCount
        let others = 16
        if FileDescriptors.shortage(of: 3 * threads + others) != nil {
            threads = 1
            NIOSingletons.groupLoopCountSuggestion = threads
        }
        if let shortage = FileDescriptors.shortage(of: 3 * threads + others) { throw shortage }
    }

    private static func path(_ arguments: [String]) -> CommandPath {
        CommandPath(arguments, of: CommandShape(of: Self.self))
    }

    private static func unknownName(in path: CommandPath) -> UsageMessage? {
        UsageMessage(unknownNameIn: path, besides: externalNames)
    }

    private static func refuse(_ message: UsageMessage) -> Never {
        Console.standard(errors.options).printError(message.text)
        CommandStatus.usage.end()
    }

    private static func printHelp(_ text: String) {
        do {
            try Console.standard(errors.options).print(text)
        } catch {
            end(with: error)
        }
    }

    /// Prints an error and ends the process; if the reader of standard output has closed it, nothing is printed.
    package static func end(with error: any Error) -> Never {
        let failure = Failure(error)
        if failure.status != .outputClosed { Console.standard(errors.options).printError(failure) }
        failure.status.end()
    }

    /// Runs a command until it ends or a signal cancels it; the command cleans up in both cases.
    private static func run(_ command: any ConsoleCommand, on console: Console) async -> CommandStatus {
        let work = Task { await command.report(on: console) }
        let watch = SignalHandler(restore: { console.prompter?.restore() }, cancel: { work.cancel() })
        defer { watch.stop() }
        return watch.status(await work.value)
    }

    // MARK: Reading

    /// Parses a command line.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The command, which has not run yet.
    /// - Throws: ``UsageError`` for a repeated option and for errors of ``refuse(_:)``, ``UnreadableLine`` for other
    ///   lines that ArgumentParser rejects, and ArgumentParser's own error if the line asks for help.
    package static func command(for arguments: [String]) throws -> any ParsableCommand {
        let command: any ParsableCommand
        do {
            command = try parseSubcommand(for: arguments) ?? parseAsRoot(arguments)
        } catch {
            if exitCode(for: error) == .success { throw error }
            try refuse(ArgumentScan(arguments, of: CommandShape(of: Self.self)))
            throw UnreadableLine(cause: error)
        }
        try checkRepetitions(in: arguments, of: type(of: command))
        return command
    }

    /// Parses a command line that begins with the name of a command, without the program and the other commands.
    ///
    /// If ArgumentParser starts at the program, it parses the line for each command on the path and describes the last
    /// one again, which takes an eighth of a short run.
    ///
    /// - Returns: The command, or `nil` for every other line and for lines that ArgumentParser rejects or answers
    ///   itself, such as `--help`, because its message depends on the program.
    private static func parseSubcommand(for arguments: [String]) -> (any ParsableCommand)? {
        var type: any ParsableCommand.Type = Self.self
        var rest = arguments[...]
        while let name = rest.first,
            let next = type.configuration.subcommands.first(where: { $0._commandName == name })
        {
            type = next
            rest.removeFirst()
        }
        guard type != Self.self, type.configuration.subcommands.isEmpty,
            let command = try? type.parseAsRoot(Array(rest)), Swift.type(of: command) == type
        else { return nil }
        return command
    }

    /// Refuses a second value for a single-value option, because ArgumentParser would silently use the last one.
    ///
    /// ArgumentParser's description of a command lists its options. Only the command to run is described, because the
    /// descriptions of all commands would take several milliseconds.
    private static func checkRepetitions(in arguments: [String], of command: any ParsableCommand.Type) throws {
        guard arguments.count(where: { $0.hasPrefix("-") }) > 1 else { return }
        var given: Set<CommandShape.Parameter> = []
        for case .some(let parameter) in ArgumentScan(arguments, of: CommandShape(of: command)).uses.map(
            \.parameter)
        where parameter.kind == .option && !parameter.isRepeating {
            guard given.insert(parameter).inserted else {
                throw UsageError.repeated(parameter.preferredName?.spelling ?? "")
            }
        }
    }
}

/// A command that runs on a console, so that tests can replace the output and the prompter.
package protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Whether errors are printed as JSON too.
    var wantsJSON: Bool { get }

    /// The URL or the server of the command, for errors in JSON; `nil` if the command is about files.
    var subject: String? { get }

    func perform(on console: Console) async throws -> CommandStatus
}

extension ConsoleCommand {
    package var subject: String? { nil }

    /// Performs the command, and prints its error.
    package func report(on console: Console) async -> CommandStatus {
        do {
            return try await perform(on: console)
        } catch {
            // After a cancellation, operations fail in many ways, so the interruption is reported instead.
            var failure = Failure(Task.isCancelled ? CancellationError() : error)
            if console.errorOptions.codes.contains(failure.code) {
                failure.optionNames = Set(CommandShape(of: Self.self).longNames)
            }
            // The reader has closed the pipe on purpose, as 'head' does.
            if failure.status == .outputClosed { return failure.status }
            if wantsJSON {
                let circumstances = (error as? CommandFailure)?.circumstances
                // If the report cannot be written, the error still goes to standard error.
                let report = FailureReport(
                    failure, console.errorOptions, under: circumstances, about: subject.map(Redaction.url))
                try? console.print(json: report)
            }
            if failure.status != .interrupted || !wantsJSON { console.printError(failure) }
            return failure.status
        }
    }
}

/// The file descriptors that the caller opened or left closed.
package enum StandardDescriptors {
    /// Finds an option that names a closed descriptor.
    ///
    /// Call it before anything else is opened, because the number could later belong to a file or a socket of this
    /// process.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The number of the first closed descriptor, or `nil` if there is none.
    package static func closedNumber(in arguments: [String]) -> Int? {
        let arguments = arguments.prefix { $0 != "--" }
        let named = zip(arguments, arguments.dropFirst() + [""]).compactMap { argument, next -> Int? in
            let parts = argument.split(separator: "=", maxSplits: 1)
            // Every option that reads a secret from a descriptor has a name with this suffix.
            guard let option = parts.first, option.hasPrefix("--"), option.hasSuffix("-fd") else { return nil }
            return Int(parts.count > 1 ? String(parts[1]) : next)
        }
        return named.first { number in
            guard let descriptor = Int32(exactly: number), descriptor >= 0 else { return false }
            return fcntl(descriptor, F_GETFD) == -1 && errno == EBADF
        }
    }

    /// Opens `/dev/null` for closed standard streams, so that no file or socket that is opened later becomes standard
    /// output.
    ///
    /// `/dev/null` is opened with the opposite access, as in GNU coreutils: reading from a closed standard input and
    /// writing to a closed standard output still fail (`EBADF`). Call it before anything else is opened.
    package static func occupyClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The system assigns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

/// The version of `countersign`.
package enum CommandVersion {
    package static let current = "0.1.0"
    /// The version and the traits of the package with which the program was built, for `--version`.
    package static var withTraits: String {
        traits.isEmpty ? current : "\(current) (\(traits.joined(separator: ", ")))"
    }

    /// The traits that add a system library, in alphabetical order.
    private static var traits: [String] {
        var traits: [String] = []
        #if Brotli
            traits.append("Brotli")
        #endif
        #if Negotiate
            traits.append("Negotiate")
        #endif
        #if OpenSSL
            traits.append("OpenSSL")
        #endif
        #if PostgreSQL
            traits.append("PostgreSQL")
        #endif
        #if Zstd
            traits.append("Zstd")
        #endif
        return traits
    }
}
