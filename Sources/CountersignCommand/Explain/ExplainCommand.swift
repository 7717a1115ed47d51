// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import PolicyFile

/// `countersign explain`.
struct ExplainCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain an error by its code.",
        discussion: """
            An error in JSON, in a log or in a metric has a code, such as connection.refused. Without a code, all are listed.

            Example: countersign explain trust.expired
            """)

    @Argument(help: "The code of an error.")
    var code: String?

    @Flag(help: "Print as JSON.")
    var json = false

    @Flag(help: .hidden)
    var markdown = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        if markdown {
            try console.print(ErrorCatalog.page)
            return .done
        }
        guard let code else {
            let entries = ErrorCatalog.entries
            if json {
                try console.print(json: entries.map(ExplanationReport.init))
            } else {
                for entry in entries { try console.print("\(entry.code)  \(entry.message)") }
            }
            return .done
        }
        guard let entry = ErrorCatalog.entries.first(where: { $0.code == code }) else {
            throw UsageError.unknownCode(code, nearest: nearest(to: code))
        }
        if json {
            try console.print(json: ExplanationReport(entry))
        } else {
            try console.print(Self.text(entry))
        }
        return .done
    }

    private func nearest(to code: String) -> String? {
        let codes = ErrorCatalog.entries.map(\.code)
        // The cause under another stage is what a reader remembers most often.
        let cause = code.split(separator: ".").last.map { "." + $0 }
        return codes.first { cause.map($0.hasSuffix) ?? false } ?? Spelling.nearest(to: code, among: codes)
    }

    private static func text(_ entry: ErrorExplanation) -> String {
        let options = Failure.options[entry.code].map { "\n            \($0)" } ?? ""
        return """
            \(entry.code)

            Example:    \(entry.message)
            Cause:      \(entry.reason)
            What to do: \(entry.advice)\(options)
            """
    }
}

/// An entry of the catalogue as JSON has it.
struct ExplanationReport: Encodable {
    let code: String
    let stage: String
    let example: String
    let reason: String
    let advice: String

    init(_ entry: ErrorExplanation) {
        (code, stage, example) = (entry.code, entry.stage, entry.message)
        (reason, advice) = (entry.reason, entry.advice)
    }
}
