// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import CommandSupport

/// `countersign tour`: every server of the lab, one table.
struct TourCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Start the lab, run the main job against every server of it, and print one table.",
        discussion: """
            Exits with 0 only if every row is as expected.

            Example: countersign tour --svg tour.svg
            """)

    @Flag(help: "Print the rows as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also draw the table to this file; with '-' to standard output, instead of the text.", valueName: "file"),
        transform: OutputPlace.init)
    var svg: OutputPlace?

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        if json, svg == .standardOutput { throw UsageError.contradiction("--json", "--svg -") }
        let lab = try await Lab.start()
        var rows: [TourRow] = []
        for stop in TourStop.all(of: lab) {
            rows.append(await stop.visit(lab))
        }
        try await lab.stop()
        try Task.checkCancellation()
        let table = TourTable(rows: rows, width: console.outputWidth ?? 240)
        if json {
            try console.print(json: rows)
        } else if svg != .standardOutput {
            try table.lines(usesColor: console.usesColor).forEach(console.print)
        }
        try svg?.write(table.svg, on: console)
        return rows.allSatisfy(\.isAsExpected) ? .done : .failed
    }
}
