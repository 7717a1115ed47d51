// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

/// The table of a tour, as text and as a picture.
struct TourTable {
    let rows: [TourRow]
    /// In characters.
    let width: Int

    private var cells: [[String]] {
        [["", "server", "URL", "challenges met", "how answered", "verdict", "bytes", "ms"]]
            + rows.map { row in
                [
                    row.isAsExpected ? "ok" : "FAIL", row.name, row.url, row.challenges.joined(separator: ", "),
                    row.answers.joined(separator: ", "), row.verdict, String(row.bytes), String(row.milliseconds),
                ]
            }
    }

    private func texts(within limit: Int) -> [String] { TextTable(cells: cells).lines(within: limit) }

    private var summary: String {
        let good = rows.count { $0.isAsExpected }
        return "\(good) of \(rows.count) rows as expected"
    }

    func lines(usesColor: Bool) -> [String] {
        let texts = texts(within: width)
        let colored = zip(texts, [nil] + rows.map { Optional($0.isAsExpected) }).map { text, isGood in
            guard usesColor, let isGood else { return text }
            return (isGood ? Ink.green : .red).paint(text)
        }
        return colored + ["", summary]
    }

    /// The table drawn: a picture for a read-me.
    var svg: String {
        let texts = texts(within: 240)
        let (lineHeight, characterWidth) = (18, 7.3)
        let width = Int(Double(texts.map(\.count).max() ?? 0) * characterWidth) + 32
        let height = (texts.count + 3) * lineHeight
        let colors = ["#c9d1d9"] + rows.map { $0.isAsExpected ? "#3fb950" : "#f85149" } + ["#c9d1d9"]
        let lines = zip(texts + [summary], colors).enumerated().map { index, line in
            let top = (index + 2) * lineHeight + (index > rows.count ? lineHeight / 2 : 0)
            return """
                <text x="16" y="\(top)" fill="\(line.1)" xml:space="preserve">\(line.0.escapedForXML)</text>
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
