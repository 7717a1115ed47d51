// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension CurlFlag {
    /// The table of the article "From curl".
    static var markdown: String {
        let rows = all.sorted { $0.name < $1.name }.map { "| \($0.spellings) | \($0.cell) |" }
        return (["| curl | `countersign` |", "|---|---|"] + rows).joined(separator: "\n")
    }

    private var spellings: String { (letter.map { "`-\($0)`, " } ?? "") + "`--\(name)`" }

    private var cell: String {
        switch verdict {
        case .same(let note): "same" + (note.map { "; \($0)" } ?? "")
        case .written(let option, let note): "`\(option)`" + (note.map { "; \($0)" } ?? "")
        case .refused(let reason): "refused: \(reason)"
        }
    }
}
