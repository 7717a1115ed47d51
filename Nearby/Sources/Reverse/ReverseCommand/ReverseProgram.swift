// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSClient
import DNSMessages
import DNSNames
import ErrorExplanations
import NearbyProgram
import ReverseZones

/// The program `countersign-reverse`, which `countersign reverse` runs.
@main
struct ReverseProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign reverse",
        abstract: "Plan, check and correct reverse DNS zones for address blocks.",
        discussion: "Exit status: 0 done; 1 the operation failed, or a check found an error or a warning; 2 usage.",
        subcommands: [PlanCommand.self, CheckCommand.self, FixCommand.self])

    static var errors: [any ExplainedError] {
        let files: [any ExplainedError] = ReverseZoneError.examples + FileProblem.examples
        return files + DNSClientError.examples + DNSMessageError.examples + DomainNameError.allCases
    }

    static func main() async { await runAsProgram(errors: errors) }
}
