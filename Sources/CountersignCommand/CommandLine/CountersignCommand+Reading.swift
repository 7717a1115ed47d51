// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

extension CountersignCommand {
    /// Reads a command line.
    ///
    /// - Parameter arguments: What follows the program's name.
    /// - Returns: The command, which is not run yet.
    /// - Throws: ``UsageError`` for an option that is given twice, and what ArgumentParser throws.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        let scan = ArgumentScan(arguments, of: try CommandShape.root())
        try refuseRepetitions(scan)
        return try parseAsRoot(arguments)
    }

    /// Refuses a second value for an option that has one: ArgumentParser would take the last one without a word.
    private static func refuseRepetitions(_ scan: ArgumentScan) throws(UsageError) {
        var given: Set<CommandShape.Parameter> = []
        for case .some(let parameter) in scan.uses.map(\.parameter)
        where parameter.kind == .option && !parameter.isRepeating {
            guard given.insert(parameter).inserted else { throw .repeated(parameter.preferredName?.spelling ?? "") }
        }
    }
}
