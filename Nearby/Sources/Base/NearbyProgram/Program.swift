// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import ErrorExplanations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension ParsableCommand {
    /// Runs the command that the arguments name, and exits with status 1 if it fails, or 2 for invalid arguments.
    ///
    /// - Parameter errors: An example of each error code, for `explain`.
    package static func runAsProgram(errors: [any ExplainedError]) async {
        explain(errors)
        do {
            var command = try parseAsRoot()
            try secureDescriptors()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            endProgram(because: error)
        }
    }

    /// Ensures that enough file descriptors are available for any command: without them SwiftNIO and Dispatch crash the
    /// process.
    ///
    /// SwiftNIO uses three descriptors for each processor.
    package static func secureDescriptors() throws(DescriptorShortage) {
        FileDescriptors.raiseLimit()
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        if let shortage = FileDescriptors.shortage(of: 16 + 3 * processors) { throw shortage }
    }

    /// Handles the `explain` subcommand and exits, if the arguments contain it.
    ///
    /// - Parameter errors: An example of each error code.
    package static func explain(_ errors: [any ExplainedError]) {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == "explain" else { return }
        if let text = ErrorList(errors).answer(Array(arguments.dropFirst())) {
            writeLine(text)
            endProcess(0)
        }
        let name = configuration.commandName ?? "countersign"
        write(
            "countersign: No error has the code \"\(arguments.dropFirst().joined(separator: " ").printable)\".\n"
                + "List the codes with '\(name) explain'.\n", to: STDERR_FILENO)
        endProcess(2)
    }

    /// Prints an error, or the requested help, and exits.
    package static func endProgram(because error: any Error) -> Never {
        switch error {
        case let error as any ExplainedError:
            let explanation = error.explanation
            let lines = [explanation.message, explanation.reason, explanation.advice].joined(separator: "\n")
            write("countersign: \(lines)\n", to: STDERR_FILENO)
            endProcess(1)
        case let status as ExitCode: endProcess(status.rawValue)
        default:
            let isUsage = exitCode(for: error) != .success
            write(fullMessage(for: error) + "\n", to: isUsage ? STDERR_FILENO : STDOUT_FILENO)
            endProcess(isUsage ? 2 : 0)
        }
    }
}

/// Writes a text to an open file and ignores failures.
package func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

/// Calls the system's `exit`, which a command's own `exit` method hides.
private func endProcess(_ status: Int32) -> Never { exit(status) }
