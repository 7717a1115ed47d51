// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Normalization form KC of Unicode 3.2 (UAX #15), which RFC 3454 section 4 asks for; without ICU, which full Foundation brings.
enum NormalizationKC {
    private struct Pair: Hashable {
        let first: Unicode.Scalar
        let second: Unicode.Scalar
    }

    private static let (decompositions, compositions): ([Unicode.Scalar: [Unicode.Scalar]], [Pair: Unicode.Scalar]) = {
        var all: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        read(StringprepTables.others) { all[$0] = $1 }
        var pairs: [Pair: Unicode.Scalar] = [:]
        read(StringprepTables.composites) { composite, parts in
            all[composite] = parts
            pairs[Pair(first: parts[0], second: parts[1])] = composite
        }
        return (all, pairs)
    }()

    private static func read(_ table: String, _ body: (Unicode.Scalar, [Unicode.Scalar]) -> Void) {
        for entry in table.split(whereSeparator: \.isWhitespace) {
            let sides = entry.split(separator: ":")
            let mapping = sides[1].split(separator: ",").compactMap { UInt32($0, radix: 16) }
            guard let range = ScalarSet.range(sides[0]) else { continue }
            for (offset, code) in zip(UInt32(0)..., range) {
                let parts = mapping.compactMap { Unicode.Scalar($0 + offset) }
                if let scalar = Unicode.Scalar(code) { body(scalar, parts) }
            }
        }
    }

    /// Normalizes in place; what held the text in between is cleared, because it may be a password.
    static func normalize(_ scalars: inout [Unicode.Scalar]) {
        var count = 0
        for scalar in scalars { decompose(scalar) { _ in count += 1 } }
        var decomposed: [Unicode.Scalar] = []
        decomposed.reserveCapacity(count)
        for scalar in scalars { decompose(scalar) { decomposed.append($0) } }
        scalars.erase()
        reorder(&decomposed)
        compose(&decomposed)
        scalars = decomposed
    }

    private static func decompose(_ scalar: Unicode.Scalar, _ emit: (Unicode.Scalar) -> Void) {
        if let parts = Hangul.decomposition(of: scalar) ?? decompositions[scalar] {
            for part in parts { decompose(part, emit) }
        } else {
            emit(scalar)
        }
    }

    /// Sorts the marks after each starter by their class, and leaves equals as they are (Unicode section 3.11).
    private static func reorder(_ scalars: inout [Unicode.Scalar]) {
        for index in scalars.indices {
            let scalar = scalars[index]
            let rank = combiningClass(of: scalar)
            var place = index
            while rank > 0, place > 0, combiningClass(of: scalars[place - 1]) > rank {
                scalars[place] = scalars[place - 1]
                place -= 1
            }
            scalars[place] = scalar
        }
    }

    /// Joins each character with the last starter where nothing stands in the way (Unicode section 3.11, D117).
    private static func compose(_ scalars: inout [Unicode.Scalar]) {
        var starter: Int?
        var (end, lastClass) = (0, UInt8(0))
        for scalar in scalars {
            let rank = combiningClass(of: scalar)
            if let starter, starter == end - 1 || lastClass < rank,
                let composite = composite(scalars[starter], scalar)
            {
                scalars[starter] = composite
                continue
            }
            if rank == 0 { starter = end }
            (scalars[end], lastClass) = (scalar, rank)
            end += 1
        }
        for index in end..<scalars.count { scalars[index] = "\0" }
        scalars.removeLast(scalars.count - end)
    }

    private static func composite(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        Hangul.composition(of: first, second) ?? compositions[Pair(first: first, second: second)]
    }

    /// The classes of characters do not change (Unicode's stability policy); what Unicode 3.2 does not know has none.
    private static func combiningClass(of scalar: Unicode.Scalar) -> UInt8 {
        scalar.isAssignedInUnicode32 ? scalar.properties.canonicalCombiningClass.rawValue : 0
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is not in stringprep's table A.1.
    var isAssignedInUnicode32: Bool {
        guard value >= 0x80 else { return true }
        return properties.age.map { ($0.major, $0.minor) <= (3, 2) } ?? false
    }
}

/// Syllables of Hangul and the letters that they consist of, which are computed (Unicode section 3.12).
private enum Hangul {
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
