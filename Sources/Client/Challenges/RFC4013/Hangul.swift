// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Syllables of Hangul and the letters that they consist of, which are computed (Unicode section 3.12).
enum Hangul {
    private static let (leads, vowels, trails): (UInt32, UInt32, UInt32) = (0x1100, 0x1161, 0x11A7)
    private static let syllables: Range<UInt32> = 0xAC00..<0xAC00 + 19 * 21 * 28

    /// Lead and vowel, or a syllable of those and a trail; `nil` for what is no syllable.
    static func decomposition(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
        guard syllables.contains(scalar.value) else { return nil }
        let index = scalar.value - syllables.lowerBound
        let trail = index % 28
        let parts =
            trail == 0
            ? [leads + index / (21 * 28), vowels + index % (21 * 28) / 28]
            : [scalar.value - trail, trails + trail]
        return parts.compactMap(Unicode.Scalar.init)
    }

    /// The syllable of a lead and a vowel, or of a syllable without trail and one; `nil` for all else.
    static func composition(of first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        let (first, second) = (first.value, second.value)
        if (leads..<leads + 19).contains(first), (vowels..<vowels + 21).contains(second) {
            return Unicode.Scalar(syllables.lowerBound + ((first - leads) * 21 + second - vowels) * 28)
        }
        guard syllables.contains(first), (first - syllables.lowerBound).isMultiple(of: 28),
            (trails + 1..<trails + 28).contains(second)
        else { return nil }
        return Unicode.Scalar(first + second - trails)
    }
}
