// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NearbyProgram

/// The program `countersign-reverse`, which `countersign reverse` runs.
@main
struct ReverseProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign reverse",
        abstract: "Plan, check and correct the zones of reverse DNS for blocks of addresses.",
        discussion: "Exit status: 0 done; 1 the operation failed, or a check found an error or a warning; 2 usage.",
        subcommands: [PlanCommand.self, CheckCommand.self, FixCommand.self])

    static func main() async { await runAsProgram() }
}
