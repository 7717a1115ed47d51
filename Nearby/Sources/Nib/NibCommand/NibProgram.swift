// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import NearbyProgram
import NibArchive

/// The program `countersign-nib`, which `countersign nib` runs.
@main
struct NibProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign nib",
        abstract: "Show, compare and translate compiled interface files of Interface Builder.",
        discussion: "Exit status: 0 done; 1 the operation failed, or the files differ; 2 usage.",
        subcommands: [
            ShowCommand.self, DiffCommand.self, StringsCommand.self, VerifyCommand.self, RewriteCommand.self,
        ])

    static var errors: [any ExplainedError] {
        let reading: [any ExplainedError] = NibError.examples + NibInstantiationError.examples
        return reading + NibCommandError.examples + StringsFileError.examples
    }

    static func main() async { await runAsProgram(errors: errors) }
}
