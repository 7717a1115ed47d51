// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An XML Schema regular expression (Part 2 appendix F), from which samples are generated.
///
/// Unicode blocks, except the first two, and categories other than letters, digits, punctuation and spaces are
/// not supported.
package indirect enum Pattern {
    case empty
    case set(CharacterSet)
    case sequence([Pattern])
    case choice([Pattern])
    case repeated(Pattern, minimum: Int, maximum: Int?)

    /// A set of characters, as ranges or their complement.
    package struct CharacterSet {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false
        /// The sets that are subtracted from this one.
        var subtracted: [CharacterSet] = []

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isNegated && !subtracted.contains { $0.contains(scalar) }
        }

        /// A readable character of the set if it has one, otherwise any character of the set.
        var sample: Unicode.Scalar? {
            if let first = Self.readable.first(where: contains) { return first }
            return ranges.lazy.compactMap { Unicode.Scalar($0.lowerBound) }.first(where: contains)
        }

        private static let readable = Array(
            "a1A0bBcdefghijklmnopqrstuvwxyzCDEFGHIJKLMNOPQRSTUVWXYZ23456789-_.:/@+, #&()*'!?%=;$".unicodeScalars)
    }

    /// Parses an expression; returns `nil` if it is malformed or not supported.
    package init?(_ text: String) {
        var parser = PatternParser(Array(text.unicodeScalars))
        guard let pattern = parser.parse() else { return nil }
        self = pattern
    }

    // MARK: Samples

    /// The maximum length of a sample.
    private static let maximumCharacterCount = 100_000

    /// Returns a matching text, which has at least the given length if possible.
    package func sample(length: Int = 0) -> String? {
        guard var text = shortest else { return nil }
        let missing = length - text.unicodeScalars.count
        if missing > 0, let longer = lengthened(by: missing) { text = longer }
        return text
    }

    /// The matching text with the fewest repetitions, and with the first of several choices.
    private var shortest: String? {
        switch self {
        case .empty: return ""
        case .set(let set): return set.sample.map { String(Character($0)) }
        case .sequence(let parts):
            return Self.joined(parts.lazy.map(\.shortest))
        case .choice(let parts): return parts.lazy.compactMap(\.shortest).first
        case .repeated(_, 0, _): return ""
        case .repeated(let part, let minimum, _):
            return part.shortest.flatMap { Self.repeated($0, minimum) }
        }
    }

    /// Returns a text that is longer by the given number of characters, because one part is repeated more often.
    private func lengthened(by count: Int) -> String? {
        switch self {
        case .empty, .set: return nil
        case .choice(let parts): return parts.lazy.compactMap { $0.lengthened(by: count) }.first
        case .sequence(let parts):
            for (index, part) in parts.enumerated() {
                guard let longer = part.lengthened(by: count) else { continue }
                return Self.joined(parts.enumerated().lazy.map { $0.offset == index ? longer : $0.element.shortest })
            }
            return nil
        case .repeated(let part, let minimum, let maximum):
            guard count <= 10_000, let one = part.shortest, !one.isEmpty else { return nil }
            let more = (count + one.unicodeScalars.count - 1) / one.unicodeScalars.count
            if let maximum, minimum + more > maximum {
                // The part is repeated as often as allowed, and each repetition is longer.
                guard maximum > 0, let longer = part.lengthened(by: (count + maximum - 1) / maximum) else { return nil }
                return Self.repeated(longer, maximum)
            }
            return Self.repeated(one, minimum + more)
        }
    }

    /// Returns the concatenated texts; `nil` if one is missing or the result is too long.
    private static func joined(_ texts: some Sequence<String?>) -> String? {
        var result = ""
        for text in texts {
            guard let text, result.utf8.count + text.utf8.count <= maximumCharacterCount else { return nil }
            result += text
        }
        return result
    }

    /// Returns the repeated text; `nil` if it is too long.
    private static func repeated(_ text: String, _ count: Int) -> String? {
        text.utf8.count * count <= maximumCharacterCount ? String(repeating: text, count: count) : nil
    }

    // MARK: Matching

    /// Returns whether the complete text matches; `nil` if the match takes too many steps.
    package func matches(_ text: String) -> Bool? {
        let scalars = Array(text.unicodeScalars)
        var budget = 200_000
        guard let ends = ends(in: scalars, from: [0], budget: &budget) else { return nil }
        return ends.contains(scalars.count)
    }

    /// Returns the possible end positions of matches that begin at the given positions.
    private func ends(in text: [Unicode.Scalar], from starts: Set<Int>, budget: inout Int) -> Set<Int>? {
        budget -= starts.count + 1
        guard budget > 0 else { return nil }
        switch self {
        case .empty: return starts
        case .set(let set):
            return Set(starts.filter { $0 < text.count && set.contains(text[$0]) }.map { $0 + 1 })
        case .sequence(let parts):
            var places = starts
            for part in parts {
                guard !places.isEmpty else { return [] }
                guard let next = part.ends(in: text, from: places, budget: &budget) else { return nil }
                places = next
            }
            return places
        case .choice(let parts):
            var places: Set<Int> = []
            for part in parts {
                guard let next = part.ends(in: text, from: starts, budget: &budget) else { return nil }
                places.formUnion(next)
            }
            return places
        case .repeated(let part, let minimum, let maximum):
            var places = starts
            var found = minimum == 0 ? starts : []
            var count = 0
            while !places.isEmpty, count < maximum ?? max(minimum, text.count) + 1 {
                guard let next = part.ends(in: text, from: places, budget: &budget) else { return nil }
                count += 1
                if count > minimum, next.isSubset(of: found) { break }
                places = next
                if count >= minimum { found.formUnion(next) }
            }
            return found
        }
    }
}
