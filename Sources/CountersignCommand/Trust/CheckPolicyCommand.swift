// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import PolicyFile

/// `countersign trust check-policy`.
struct CheckPolicyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-policy",
        abstract: "Check a policy file, and show what each domain gets.",
        discussion: """
            Nothing is connected to. An error is named by file, line, column and key, and exits with 1; warnings go to \
            standard error and do not.

            Example: countersign trust check-policy policy.yaml && countersign get URL --policy policy.yaml
            """)

    @Argument(help: "The policy file.")
    var file: String

    @Flag(help: "Print the policies and the warnings as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let file = try PolicyInput.read(file)
        let rows = PolicyRow.rows(of: file.policies)
        if json {
            try console.print(json: PolicyReport(domains: rows, warnings: file.warnings.map(WarningReport.init)))
        } else {
            try TextTable(cells: [PolicyRow.titles] + rows.map(\.cells)).lines(within: console.outputWidth ?? .max)
                .forEach(console.print)
            file.warnings.forEach { console.complain($0.description) }
        }
        return .done
    }
}
