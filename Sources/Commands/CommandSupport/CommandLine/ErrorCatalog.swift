// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import ErrorExplanations
import PolicyFiles

/// The errors of a program, by their codes.
package struct ErrorCatalog: Sendable {
    /// The errors that every program has.
    package static let common: [any CataloguedError.Type] = [
        CommandError.self, UsageError.self, UnsafeFileError.self, ExposedKeyError.self, OutputClosed.self,
        AnchorFolderError.self, DescriptorShortage.self,
    ]

    package let types: [any CataloguedError.Type]
    /// The options of the program that the errors refer to.
    package let options: ErrorOptions

    package init(_ types: [any CataloguedError.Type], options: ErrorOptions = .common) {
        (self.types, self.options) = (types, options)
    }

    /// One example for each code, sorted by code.
    package var entries: [ErrorExplanation] {
        let examples = types.flatMap { type in type.examples.map(\.explanation) }
        let byCode = Dictionary(examples.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
        return byCode.values.sorted { $0.code < $1.code }
    }

    /// The entries in Markdown, for `docs/reference/errors.md`.
    package var markdown: String {
        let stages = Dictionary(grouping: entries, by: \.stage).sorted { $0.key < $1.key }
        return stages.map { stage, entries in
            "## \(stage)\n\n" + entries.map(section).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func section(_ entry: ErrorExplanation) -> String {
        let hint = options.text(for: entry.code)
        let advice = entry.advice + (hint.isEmpty ? "" : " (\(hint))")
        return """
            ### \(entry.code)

            \(Self.wrapped(entry.message, "> ", "> "))

            \(Self.wrapped("Cause: " + entry.reason, "- ", "  "))
            \(Self.wrapped("What to do: " + advice, "- ", "  "))

            """
    }

    /// Wraps a text into lines of at most 140 columns, with a prefix of two columns for the first line and for the others;
    /// a longer word has a separate line.
    private static func wrapped(_ text: String, _ first: String, _ next: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let lines = words.dropFirst().reduce(into: words.prefix(1).map(String.init)) { lines, word in
            let line = lines.removeLast()
            lines += line.count + word.count < 138 ? ["\(line) \(word)"] : [line, String(word)]
        }
        return first + lines.joined(separator: "\n" + next)
    }
}

/// `countersign explain`.
package struct ExplainCommand<Program: CommandProgram>: ConsoleCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "explain", abstract: "Explain an error by its code.",
            discussion: """
                An error in JSON, in a log or in a metric has a code, such as connection.refused. Without a code, all are listed.

                Example: countersign explain trust.expired
                """)
    }

    package init() {}

    @Argument(help: "The code of an error.")
    package var code: String?

    @Flag(help: "Print as JSON.")
    package var json = false

    @Flag(help: .hidden)
    package var markdown = false

    package var wantsJSON: Bool { json }

    package func perform(on console: Console) async throws -> CommandStatus {
        if markdown {
            try console.print(Program.errors.markdown)
            return .done
        }
        guard let code else {
            let entries = Program.errors.entries
            if json {
                try console.print(json: entries.map(ExplanationReport.init))
            } else {
                for entry in entries { try console.print("\(entry.code)  \(entry.message)") }
            }
            return .done
        }
        guard let entry = Program.errors.entries.first(where: { $0.code == code }) else {
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
        let codes = Program.errors.entries.map(\.code)
        // Readers usually remember the cause, so the same cause under another stage comes first.
        let cause = code.split(separator: ".").last.map { "." + $0 }
        return codes.first { cause.map($0.hasSuffix) ?? false } ?? Spelling.nearest(to: code, among: codes)
    }

    private static func text(_ entry: ErrorExplanation) -> String {
        let hint = Program.errors.options.text(for: entry.code, optionsOf: CommandShape(of: Program.self).allLongNames)
        return """
            \(entry.code)

            Example:    \(entry.message)
            Cause:      \(entry.reason)
            What to do: \(entry.advice)\(hint.isEmpty ? "" : "\n            " + hint)
            """
    }
}

/// The JSON form of a catalogue entry.
package struct ExplanationReport: Encodable {
    package let code: String
    package let stage: String
    package let example: String
    package let reason: String
    package let advice: String

    package init(_ entry: ErrorExplanation) {
        (code, stage, example) = (entry.code, entry.stage, entry.message)
        (reason, advice) = (entry.reason, entry.advice)
    }
}
