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
        let scan = ArgumentScan(arguments, of: try CommandShape.root())
        try refuseCurlFlags(scan)
        try refuseRepetitions(scan)
        return try parseAsRoot(arguments)
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
    private static func refuseRepetitions(_ scan: ArgumentScan) throws(UsageError) {
        var given: Set<CommandShape.Parameter> = []
        for case .some(let parameter) in scan.uses.map(\.parameter)
        where parameter.kind == .option && !parameter.isRepeating {
            guard given.insert(parameter).inserted else { throw .repeated(parameter.preferredName?.spelling ?? "") }
        }
    }
}
