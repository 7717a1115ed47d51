// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EssentialFoundation

/// Replays curl's recorded exchanges against a session.
@main
struct CurlReplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curl-replay",
        abstract: "Replays tests of curl's suite with a session, and compares request lines and credentials.",
        discussion: """
            The folder holds an index.json and the tests that it lists. Exit status: 0 done; 1 a test cannot be read, or, with \
            --score, one diverges that is not listed.

            Example: curl-replay --score ../shared/testdata/curl
            """
    )

    @Argument(help: "The folder of tests.")
    var folder: String

    @Option(help: "The number of a test to run; may be given several times.")
    var only: [Int] = []

    @Flag(help: "Print a table instead of the sequences.")
    var score = false

    func run() async throws {
        let suite = try CurlSuite(folder: folder)
        var results: [CurlScore.Result] = []
        for entry in suite.entries where only.isEmpty || only.contains(entry.test) {
            let outcome = try await Replay(number: entry.test, file: suite.file(of: entry)).run()
            let result = CurlScore.Result(
                number: entry.test, theme: entry.theme ?? "other", comparison: Comparison(outcome),
                errors: outcome.errors)
            results.append(result)
            if !score { result.lines.forEach { print($0) } }
        }
        guard score else { return }
        let score = CurlScore(results)
        score.lines.forEach { print($0) }
        guard score.isAsListed else { throw ExitCode.failure }
    }
}

extension CurlScore.Result {
    /// The outcome as text for the user.
    fileprivate var lines: [String] {
        ["\(number): \(comparison.isSame ? "same" : "divergent")"] + comparison.differences + errors.map { "  \($0)" }
    }
}

/// A folder of curl's tests, and its index.
struct CurlSuite {
    struct Entry: Decodable {
        let test: Int
        let theme: String?
    }

    let entries: [Entry]
    private let folder: URL

    /// - Throws: ``ReplayError/unreadableIndex(path:)``.
    init(folder path: String) throws(ReplayError) {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        let index = folder.appending(path: "index.json").path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: index),
            let entries = try? JSONDecoder().decode([Entry].self, from: data)
        else { throw .unreadableIndex(path: index) }
        self.entries = entries
    }

    /// - Throws: ``ReplayError/unreadableTest(path:)``.
    func file(of entry: Entry) throws(ReplayError) -> [UInt8] {
        let path = folder.appending(path: "test\(entry.test)").path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadableTest(path: path) }
        return Array(data)
    }
}
