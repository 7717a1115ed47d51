// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import Encodings

/// The table of a tour, as text and as an SVG picture.
package struct TourTable {
    private let rows: [TourRow]
    /// Whether the table has the challenges, which are known only for a Countersign session.
    private let showsChallenges: Bool
    /// The width in characters.
    private let width: Int

    package init(rows: [TourRow], showsChallenges: Bool, width: Int) {
        (self.rows, self.showsChallenges, self.width) = (rows, showsChallenges, width)
    }

    private var cells: [[String]] {
        let middle = showsChallenges ? ["challenges met", "how answered", "verdict"] : ["expected", "verdict"]
        return [["", "server", "URL"] + middle + ["bytes", "ms"]]
            + rows.map { row in
                let middle =
                    showsChallenges
                    ? [row.challenges.joined(separator: ", "), row.answers.joined(separator: ", ")] : [row.expected]
                return [row.isAsExpected.map { $0 ? "ok" : "FAIL" } ?? "-", row.name, row.url]
                    + middle + [row.verdict, String(row.bytes), String(row.milliseconds)]
            }
    }

    private func texts(within limit: Int) -> [String] { TextTable(cells: cells).lines(within: limit) }

    /// The number of rows with the expected result, as a sentence.
    package var summary: String {
        let run = rows.compactMap(\.isAsExpected)
        let left = rows.count - run.count
        return "\(run.count { $0 }) of \(run.count) rows as expected" + (left > 0 ? ", \(left) not run" : "")
    }

    package func lines(usesColor: Bool) -> [String] {
        let texts = texts(within: width)
        let colored = zip(texts, [nil] + rows.map(\.isAsExpected)).map { text, isGood in
            guard usesColor, let isGood else { return text }
            return (isGood ? Ink.green : .red).paint(text)
        }
        return colored + ["", summary]
    }

    /// The table as an SVG picture, for a README.
    package var svg: String {
        let texts = texts(within: 240)
        let (lineHeight, characterWidth) = (18, 7.3)
        let width = Int(Double(texts.map(\.count).max() ?? 0) * characterWidth) + 32
        let height = (texts.count + 3) * lineHeight
        let colors =
            ["#c9d1d9"] + rows.map { $0.isAsExpected.map { $0 ? "#3fb950" : "#f85149" } ?? "#8b949e" } + ["#c9d1d9"]
        let lines = zip(texts + [summary], colors).enumerated().map { index, line in
            let top = (index + 2) * lineHeight + (index > rows.count ? lineHeight / 2 : 0)
            return """
                <text x="16" y="\(top)" fill="\(line.1)" xml:space="preserve">\(line.0.escapedForXML())</text>
                """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, monospace" font-size="12">
            <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }
}
