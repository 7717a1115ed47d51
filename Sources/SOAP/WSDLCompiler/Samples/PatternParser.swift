// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Parses XML Schema regular expressions (Part 2 appendix F).
struct PatternParser {
    private let text: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ text: [Unicode.Scalar]) { self.text = text }

    /// Parses the complete expression; `nil` if it is malformed or not supported.
    mutating func parse() -> Pattern? {
        guard let pattern = choice(), place == text.count else { return nil }
        return pattern
    }

    private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    private mutating func choice() -> Pattern? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 100 else { return nil }
        var branches: [Pattern] = []
        repeat {
            guard let branch = sequence() else { return nil }
            branches.append(branch)
        } while take("|")
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() -> Pattern? {
        var parts: [Pattern] = []
        while let next, next != "|", next != ")" {
            guard let atom = atom(), let part = quantified(atom) else { return nil }
            parts.append(part)
        }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func quantified(_ atom: Pattern) -> Pattern? {
        if take("?") { return .repeated(atom, minimum: 0, maximum: 1) }
        if take("*") { return .repeated(atom, minimum: 0, maximum: nil) }
        if take("+") { return .repeated(atom, minimum: 1, maximum: nil) }
        guard take("{") else { return atom }
        guard let minimum = number() else { return nil }
        if take("}") { return .repeated(atom, minimum: minimum, maximum: minimum) }
        guard take(",") else { return nil }
        if take("}") { return .repeated(atom, minimum: minimum, maximum: nil) }
        guard let maximum = number(), maximum >= minimum, take("}") else { return nil }
        return .repeated(atom, minimum: minimum, maximum: maximum)
    }

    /// Parses the number of a quantifier, capped above the length of any sample.
    private mutating func number() -> Int? {
        var digits = ""
        while let next, ("0"..."9").contains(next) {
            digits.unicodeScalars.append(next)
            place += 1
        }
        return digits.isEmpty ? nil : min(Int(digits) ?? Int.max, 1_000_000)
    }

    private mutating func atom() -> Pattern? {
        guard let next else { return nil }
        place += 1
        switch next {
        case "(":
            // Non-capturing groups are not part of XML Schema, but are common.
            if take("?"), !take(":") { return nil }
            guard let inner = choice(), take(")") else { return nil }
            return inner
        case "[": return characterClass().map { .set($0) }
        case ".": return .set(.anyButLineBreaks)
        case "\\": return escape().map { .set($0) }
        case "?", "*", "+", "{", "}", "]": return nil
        default: return .set(.one(next))
        }
    }

    /// Parses a character class after its opening bracket.
    private mutating func characterClass() -> Pattern.CharacterSet? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 100 else { return nil }
        var set = Pattern.CharacterSet()
        set.isNegated = take("^")
        var complements: [Pattern.CharacterSet] = []
        var isFirst = true
        while let next, next != "]" || isFirst {
            isFirst = false
            place += 1
            if next == "-", take("[") {
                guard let subtracted = characterClass(), take("]") else { return nil }
                set.subtracted.append(subtracted)
                return finished(set, complements)
            }
            if next == "\\" {
                guard let escaped = escape() else { return nil }
                if escaped.isNegated { complements.append(escaped) } else { set.ranges += escaped.ranges }
                guard escaped.ranges.count == 1, let only = escaped.ranges.first, only.count == 1 else { continue }
                guard let range = range(from: only.lowerBound) else { continue }
                set.ranges.append(range)
            } else {
                set.ranges.append(range(from: next.value) ?? next.value...next.value)
            }
        }
        guard take("]") else { return nil }
        return finished(set, complements)
    }

    /// Returns the class with complements such as `\S`, if they can be expressed as subtracted ranges.
    private func finished(
        _ set: Pattern.CharacterSet, _ complements: [Pattern.CharacterSet]
    ) -> Pattern.CharacterSet? {
        guard !complements.isEmpty else { return set }
        guard complements.count == 1, !set.isNegated else { return nil }
        var result = Pattern.CharacterSet(ranges: [0...0x10_FFFF])
        var taken = complements[0]
        taken.isNegated = false
        taken.subtracted = [set]
        result.subtracted = set.subtracted + [taken]
        return result
    }

    /// Parses the hyphen and the upper bound of a range, if they follow.
    private mutating func range(from first: UInt32) -> ClosedRange<UInt32>? {
        guard next == "-", place + 1 < text.count, text[place + 1] != "]", text[place + 1] != "[" else { return nil }
        let start = place
        place += 1
        var last = text[place].value
        place += 1
        if last == UInt32(UInt8(ascii: "\\")) {
            guard let escaped = escape(), let only = escaped.ranges.first, only.count == 1 else {
                place = start
                return nil
            }
            last = only.lowerBound
        }
        guard first <= last else {
            place = start
            return nil
        }
        return first...last
    }

    /// Parses an escape after its backslash.
    private mutating func escape() -> Pattern.CharacterSet? {
        guard let next else { return nil }
        place += 1
        switch next {
        case "n": return .one("\n")
        case "r": return .one("\r")
        case "t": return .one("\t")
        case "d": return .digits
        case "D": return .digits.negated
        case "w": return .wordCharacters
        case "W": return .wordCharacters.negated
        case "s": return .spaces
        case "S": return .spaces.negated
        case "i": return .nameStarts
        case "I": return .nameStarts.negated
        case "c": return .nameCharacters
        case "C": return .nameCharacters.negated
        case "p": return category()
        case "P": return category()?.negated
        default: return .one(next)
        }
    }

    /// Parses a Unicode category, limited to ASCII and Latin letters, which is sufficient for samples.
    private mutating func category() -> Pattern.CharacterSet? {
        guard take("{") else { return nil }
        var name = ""
        while let next, next != "}" {
            name.unicodeScalars.append(next)
            place += 1
        }
        guard take("}") else { return nil }
        switch name {
        case "L": return .letters
        case "Lu": return Pattern.CharacterSet(ranges: [0x41...0x5A])
        case "Ll": return Pattern.CharacterSet(ranges: [0x61...0x7A])
        case "N", "Nd": return .digits
        case "P":
            return Pattern.CharacterSet(ranges: [0x21...0x23, 0x25...0x2A, 0x2C...0x2F, 0x3A...0x3B, 0x3F...0x40])
        case "Z", "Zs": return .one(" ")
        case "IsBasicLatin": return Pattern.CharacterSet(ranges: [0...0x7F])
        case "IsLatin-1Supplement": return Pattern.CharacterSet(ranges: [0x80...0xFF])
        default: return nil
        }
    }
}

extension Pattern.CharacterSet {
    static func one(_ scalar: Unicode.Scalar) -> Self { Self(ranges: [scalar.value...scalar.value]) }

    static let digits = Self(ranges: [0x30...0x39])
    static let letters = Self(ranges: [0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F])
    static let spaces = Self(ranges: [9...10, 13...13, 32...32])
    static let anyButLineBreaks = Self(ranges: [10...10, 13...13], isNegated: true)
    static let nameStarts = Self(ranges: letters.ranges + [0x3A...0x3A, 0x5F...0x5F])
    static let nameCharacters = Self(ranges: nameStarts.ranges + digits.ranges + [0x2D...0x2E])
    /// All characters except punctuation, separators and control characters.
    static let wordCharacters = Self(
        ranges: letters.ranges + digits.ranges + [0x24...0x24, 0x2B...0x2B, 0x3C...0x3E, 0x5E...0x5E, 0x60...0x60])

    var negated: Self {
        var other = self
        other.isNegated.toggle()
        return other
    }
}
