// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// The errors that a program can end with, by their codes.
package struct ErrorCatalog: Sendable {
    /// Those that every program has.
    package static let common: [any CataloguedError.Type] = [
        CommandError.self, UsageError.self, UnsafeFileError.self, ExposedKeyError.self, OutputClosed.self,
        AnchorFolderError.self, DescriptorShortage.self,
    ]

    package let types: [any CataloguedError.Type]

    package init(_ types: [any CataloguedError.Type]) { self.types = types }

    /// One example for each code, in the order of the codes.
    package var entries: [ErrorExplanation] {
        let examples = types.flatMap { type in type.examples.map(\.explanation) }
        let byCode = Dictionary(examples.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
        return byCode.values.sorted { $0.code < $1.code }
    }

    /// The entries in Markdown, for `docs/reference/errors.md`.
    package var markdown: String {
        let stages = Dictionary(grouping: entries, by: \.stage).sorted { $0.key < $1.key }
        return stages.map { stage, entries in
            "## \(stage)\n\n" + entries.map(Self.section).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func section(_ entry: ErrorExplanation) -> String {
        let hint = Failure.hint(for: entry.code)
        return """
            ### \(entry.code)

            > \(entry.message)

            - Cause: \(entry.reason)
            - What to do: \(entry.advice)\(hint.isEmpty ? "" : " (\(hint))")

            """
    }
}
