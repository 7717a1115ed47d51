// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The program `countersign-reverse`, which `countersign reverse` runs.
@main
struct ReverseProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign reverse",
        abstract: "Plan the zones of reverse DNS for a block of addresses.",
        discussion: "Exit status: 0 done; 1 the operation failed; 2 usage.",
        subcommands: [PlanCommand.self])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as any ExplainedError {
            let explanation = error.explanation
            let lines = [explanation.message, explanation.reason, explanation.advice].joined(separator: "\n")
            write("countersign: \(lines)\n", to: STDERR_FILENO)
            endProcess(1)
        } catch {
            let isUsage = exitCode(for: error) != .success
            write(fullMessage(for: error) + "\n", to: isUsage ? STDERR_FILENO : STDOUT_FILENO)
            endProcess(isUsage ? 2 : 0)
        }
    }
}

private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

/// Not a method, because a command's own `exit` hides the system's.
private func endProcess(_ status: Int32) -> Never { exit(status) }
