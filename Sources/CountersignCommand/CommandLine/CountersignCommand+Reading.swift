// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

extension CountersignCommand {
    /// Reads a command line.
    ///
    /// - Parameter arguments: What follows the program's name.
    /// - Returns: The command, which is not run yet.
    /// - Throws: ``UsageError`` for an option that is given twice or is curl's alone, and what ArgumentParser throws.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments)
        } catch {
            if exitCode(for: error) != .success {
                try refuseCurlFlags(ArgumentScan(arguments, of: try CommandShape.root()))
            }
            throw error
        }
        try refuseRepetitions(in: arguments, of: type(of: command))
        return command
    }

    /// Explains an option of curl's that the command does not have, where ArgumentParser would only call it unknown.
    private static func refuseCurlFlags(_ scan: ArgumentScan) throws(UsageError) {
        guard let command = scan.path.first, transferCommands.contains(command) else { return }
        for use in scan.uses where use.parameter == nil {
            guard let sentence = CurlFlag.named(use.spelling)?.sentence(for: use.spelling) else { continue }
            throw .curl(sentence)
        }
    }

    private static let transferCommands = Set(
        configuration.subcommands.filter { $0 is any TransferCommand.Type }.map { $0.configuration.commandName ?? "" })

    /// Refuses a second value for an option that has one: ArgumentParser would take the last one without a word.
    ///
    /// Only the given command is described, because describing all of them takes longer than a request on loopback.
    private static func refuseRepetitions(in arguments: [String], of command: any ParsableCommand.Type) throws {
        guard arguments.count(where: { $0.hasPrefix("-") }) > 1 else { return }
        var given: Set<CommandShape.Parameter> = []
        for case .some(let parameter) in ArgumentScan(arguments, of: try CommandShape(of: command)).uses.map(
            \.parameter)
        where parameter.kind == .option && !parameter.isRepeating {
            guard given.insert(parameter).inserted else {
                throw UsageError.repeated(parameter.preferredName?.spelling ?? "")
            }
        }
    }
}
