// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// The text as one line that cannot change how a terminal behaves: each character that is not printable is written as `\u{9b}`.
    ///
    /// Every text that comes from outside passes through here before it is printed, such as names, realms, header fields and URLs.
    package var printable: String { escaped { $0.isPrintable } }

    /// The text with its line breaks and tabs as they are, and every other character that is not printable escaped.
    package var printableLines: String { escaped { $0.isPrintable || $0 == "\n" || $0 == "\t" } }

    private func escaped(unless isShown: (Unicode.Scalar) -> Bool) -> String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isShown(scalar) {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal only shows the character.
    ///
    /// False for controls (C0, DEL, and C1 with its CSI at U+009B), which can be commands, for the formats that change the direction of
    /// text, for line and paragraph separators, for what is invisible (zero-width characters, fillers, tags), and for what has no meaning.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default:
            // The first sixteen variation selectors choose between an emoji and its plain form.
            !properties.isDefaultIgnorableCodePoint || (0xFE00...0xFE0F).contains(value)
        }
    }
}
