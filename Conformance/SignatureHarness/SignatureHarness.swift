// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EssentialFoundation
import XMLSignature

/// Verifies the test vectors in a manifest of xmlsec's, and prints a table of their outcomes.
@main
struct SignatureHarness: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "SignatureHarness", abstract: "Verify XML signature vectors, and print a table.")

    @Argument(help: "The folder with manifest.json.")
    var folder: String

    @Flag(help: "Print the outcome of every row.")
    var all = false

    func run() throws {
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        let data = try Data(contentsOf: folder.appending(path: "manifest.json"))
        let rows = try JSONDecoder().decode([VectorRow].self, from: data)
        var tally: [String: [Outcome.Kind: Int]] = [:]
        var unexpectedCount = 0
        for row in rows {
            let outcome = Outcome(of: row, in: folder)
            let suite = String(row.file.prefix { $0 != "/" })
            tally[suite, default: [:]][outcome.kind, default: 0] += 1
            if outcome.kind == .unexpected { unexpectedCount += 1 }
            if all || outcome.kind == .unexpected {
                print(
                    "\(outcome.kind.rawValue): \(row.file) (\(row.expected.rawValue), \(row.options))\n  \(outcome.text)"
                )
            }
        }
        let kinds = Outcome.Kind.allCases
        print(Self.line("", kinds.map(\.rawValue) + ["rows"]))
        for (suite, counts) in tally.sorted(by: { $0.key < $1.key }) {
            print(Self.line(suite, kinds.map { "\(counts[$0] ?? 0)" } + ["\(counts.values.reduce(0, +))"]))
        }
        print("\(rows.count) rows, \(unexpectedCount) unexpected")
        if unexpectedCount > 0 { throw ExitCode.failure }
    }

    private static func line(_ name: String, _ cells: [String]) -> String {
        name + String(repeating: " ", count: max(1, 28 - name.count))
            + cells.map { String(repeating: " ", count: max(1, 18 - $0.count)) + $0 }.joined()
    }
}
