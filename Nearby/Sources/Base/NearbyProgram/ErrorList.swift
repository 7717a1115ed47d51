// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The errors that a program can end with, by code.
///
/// `countersign explain NAME.CAUSE` runs `countersign-NAME explain NAME.CAUSE`.
package struct ErrorList {
    /// One example for each code, in the order of the codes.
    package let entries: [ErrorExplanation]

    package init(_ examples: [any ExplainedError]) {
        let entries = Dictionary(
            examples.map { ($0.code, $0.explanation) }, uniquingKeysWith: { first, _ in first })
        self.entries = entries.values.sorted { $0.code < $1.code }
    }

    /// The entries in Markdown, for `docs/reference/errors-nearby.md`.
    package var markdown: String {
        let stages = Dictionary(grouping: entries, by: \.stage).sorted { $0.key < $1.key }
        return stages.map { stage, entries in
            "## \(stage)\n\n" + entries.map(Self.section).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func section(_ entry: ErrorExplanation) -> String {
        """
        ### \(entry.code)

        > \(entry.message)

        - Cause: \(entry.reason)
        - What to do: \(entry.advice)

        """
    }

    /// Returns the output of the `explain` subcommand.
    ///
    /// - Parameter arguments: The arguments after `explain`: a code, `--json` for JSON, `--markdown` for the reference
    ///   page, or nothing for all codes.
    /// - Returns: The output, or `nil` if the code does not exist.
    package func answer(_ arguments: [String]) -> String? {
        if arguments == ["--markdown"] { return markdown }
        let codes = arguments.filter { $0 != "--json" }
        let isJSON = codes.count < arguments.count
        guard let code = codes.first else {
            return isJSON
                ? Self.json(entries.map(Report.init))
                : entries.map { "\($0.code)  \($0.message)" }.joined(separator: "\n")
        }
        guard codes.count == 1, let entry = entries.first(where: { $0.code == code }) else { return nil }
        guard !isJSON else { return Self.json(Report(entry)) }
        return """
            \(entry.code)

            Example:    \(entry.message)
            Cause:      \(entry.reason)
            What to do: \(entry.advice)
            """
    }

    /// An entry in the JSON format of `countersign explain`.
    private struct Report: Encodable {
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

    private static func json(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }
}
