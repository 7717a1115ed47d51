// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import NibArchive

/// The command `countersign nib verify`, which checks that interfaces are readable and reports unusual findings.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Check that interfaces are readable, that their connections are complete, and that writing them reproduces the same bytes.",
        discussion: "The exit status is 1 if a file has a problem.")

    @Argument(help: "The interfaces.")
    var files: [String]

    func run() throws {
        var hasProblems = false
        for path in files {
            do {
                let file = try NibFile(path)
                let problems = file.nib.problems(in: file.bytes)
                let result = problems.isEmpty ? "ok" : problems.count == 1 ? "1 problem" : "\(problems.count) problems"
                print("\(path): \(result), \(file.nib.objects.count) objects")
                for problem in problems { print("  \(problem)") }
                hasProblems = hasProblems || !problems.isEmpty
            } catch let error as any ExplainedError {
                // The remaining files are still checked.
                print(error.explanation.message)
                hasProblems = true
            }
        }
        if hasProblems { throw ExitCode(1) }
    }
}
