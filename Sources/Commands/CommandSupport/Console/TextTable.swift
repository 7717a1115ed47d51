// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Rows of cells in columns.
package struct TextTable {
    /// The first row has as many as every other.
    private let cells: [[String]]

    package init(cells: [[String]]) { self.cells = cells }

    /// The rows, cut to so many characters.
    package func lines(within limit: Int) -> [String] {
        let widths = widths(within: limit)
        return cells.map { row in
            zip(row, widths).map { $0.column($1) }.joined(separator: "  ")
        }
    }

    /// What every column gets: as much as its longest cell, the widest giving way where there is not room for all.
    private func widths(within limit: Int) -> [Int] {
        var widths = (cells.first ?? []).indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        while widths.reduce(0, +) + 2 * (widths.count - 1) > limit, let widest = widths.max(), widest > 6 {
            widths[widths.firstIndex(of: widest) ?? 0] -= 1
        }
        return widths
    }
}
