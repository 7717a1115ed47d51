// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A curl option, and its counterpart in the commands that send a request.
///
/// ``all`` is the only table: the commands print its sentences, and the article "From curl" shows it.
struct CurlFlag: Sendable {
    enum Verdict: Hashable, Sendable {
        /// The option has the same name here. The note mentions a difference.
        case same(String?)
        /// The option is written differently here. The note gives details.
        case written(String, String?)
        /// The option is not supported, for this reason.
        case refused(String)
    }

    /// The name without dashes.
    let name: String
    let letter: Character?
    let verdict: Verdict

    /// The options of curl 7.88.1, by subject.
    static let all = requests + outputs + connections + protection + others

    static func same(_ name: String, _ letter: Character? = nil, note: String? = nil) -> CurlFlag {
        CurlFlag(name: name, letter: letter, verdict: .same(note))
    }

    static func written(
        _ name: String, _ letter: Character? = nil, as option: String, note: String? = nil
    ) -> CurlFlag {
        CurlFlag(name: name, letter: letter, verdict: .written(option, note))
    }

    static func refused(_ name: String, _ letter: Character? = nil, because reason: String) -> CurlFlag {
        CurlFlag(name: name, letter: letter, verdict: .refused(reason))
    }

    /// Returns the sentence that explains the option, or `nil` if the option has the same name here.
    ///
    /// - Parameter spelling: The option as typed: `--insecure` or `-k`.
    /// - Returns: One sentence that names the alternative.
    func sentence(for spelling: String) -> String? {
        switch verdict {
        case .same: nil
        case .written(let option, let note): "\(spelling) is written \(option) here\(note.map { ": \($0)" } ?? "")."
        case .refused(let reason): "\(spelling) is refused: \(reason)."
        }
    }

    /// Returns the flag with this spelling.
    static func named(_ spelling: String) -> CurlFlag? {
        if spelling.hasPrefix("--") { return all.first { "--" + $0.name == spelling } }
        return all.first { flag in flag.letter.map { "-\($0)" == spelling } ?? false }
    }
}

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
