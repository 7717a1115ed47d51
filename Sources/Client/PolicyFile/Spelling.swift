// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Finds the known word that a mistyped one is closest to.
package enum Spelling {
    /// How many letters of a long word may be wrong, missing or too many.
    private static let tolerance = 2
    /// Longer than every known word, in characters.
    private static let longest = 64

    /// Returns the word that differs least; `nil` where every word differs in more than two letters, or in half of them.
    package static func nearest(to word: String, among words: [String]) -> String? {
        guard word.count <= longest else { return nil }
        let best = words.map { (word: $0, distance: distance(word.lowercased(), $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= min(tolerance, max(1, word.count / 2)) else { return nil }
        return best.word
    }

    /// How many letters have to be put in, taken out or changed (Levenshtein 1966).
    static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in other.indices {
                let changed = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
