// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// The text with everything escaped that could move a terminal's cursor or turn its text round: for what a server sent.
    var printable: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                String(scalar)
            }
        }.joined()
    }

    /// The text in exactly so many columns.
    func column(_ width: Int) -> String {
        count <= width ? self + String(repeating: " ", count: width - count) : prefix(max(width - 1, 0)) + "…"
    }
}
