// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import ErrorExplanations
import PolicyFile

/// `countersign trust check-policy`.
struct CheckPolicyCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// `FILE:LINE:COLUMN: error: MESSAGE`, as compilers print it.
        case editor
    }

    static let configuration = CommandConfiguration(
        commandName: "check-policy",
        abstract: "Check a policy file, and show what each domain gets.",
        discussion: """
            Nothing is connected to. An error is named by file, line, column and key, and exits with 1; warnings go to \
            standard error and do not. With --format editor both are printed on standard output as \
            FILE:LINE:COLUMN: MESSAGE, one line each, and the policies are not.

            Example: countersign trust check-policy policy.yaml && countersign get URL --policy policy.yaml
            """)

    @Argument(help: "The policy file.")
    var file: String

    @Flag(help: "Print the policies and the warnings as JSON.")
    var json = false

    @Option(help: "Print errors and warnings only, in the form that editors read.")
    var format: Format?

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        guard format == nil else { return try printProblems(on: console) }
        let file = try PolicyInput.read(file)
        let rows = PolicyRow.rows(of: file.policies)
        if json {
            try console.print(json: PolicyReport(domains: rows, warnings: file.warnings.map(WarningReport.init)))
        } else {
            try TextTable(cells: PolicyRow.table(of: rows)).lines(within: console.outputWidth ?? .max)
                .forEach(console.print)
            file.warnings.forEach { console.complain($0.description) }
        }
        return .done
    }

    private func printProblems(on console: Console) throws -> CommandStatus {
        guard !json else { throw UsageError.contradiction("--format", "--json") }
        do {
            for warning in try PolicyInput.read(file).warnings { try console.print(warning.editorLine) }
            return .done
        } catch let error as PolicyFileError {
            let failure = Failure(error)
            try console.print("\(error.place): error: \(failure.message) \(failure.advice)".printable)
            return failure.status
        }
    }
}

extension PolicyFileWarning {
    fileprivate var editorLine: String { "\(place): warning: \(place.key): \(message) \(advice)".printable }
}
