// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// The text with everything escaped that could move a terminal's cursor or turn its text round: a hostile name must do neither.
    package var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        return unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                String(scalar)
            }
        }.joined()
    }
}
