// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Normalization form KC of Unicode 3.2 (UAX #15), as required by RFC 3454 section 4, without ICU, which full
/// Foundation requires.
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

    /// Normalizes in place, and clears temporary copies of the text, because it may be a password.
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

    /// Sorts the marks after each starter by their combining class, with a stable sort (Unicode section 3.11).
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

    /// Composes each character with the last starter unless it is blocked (Unicode section 3.11, D117).
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

    /// Returns the combining class, which never changes (Unicode's stability policy); characters outside Unicode 3.2
    /// have class 0.
    private static func combiningClass(of scalar: Unicode.Scalar) -> UInt8 {
        scalar.isAssignedInUnicode32 ? scalar.properties.canonicalCombiningClass.rawValue : 0
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is assigned in Unicode 3.2, and therefore not in stringprep's table A.1.
    var isAssignedInUnicode32: Bool {
        guard value >= 0x80 else { return true }
        return properties.age.map { ($0.major, $0.minor) <= (3, 2) } ?? false
    }
}

/// The algorithmic composition of Hangul syllables from letters (Unicode section 3.12).
private enum Hangul {
    private static let (leads, vowels, trails): (UInt32, UInt32, UInt32) = (0x1100, 0x1161, 0x11A7)
    private static let syllables: Range<UInt32> = 0xAC00..<0xAC00 + 19 * 21 * 28

    /// Returns the lead and vowel, or the syllable of these and the trail; `nil` if the scalar is not a syllable.
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

    /// Returns the syllable of a lead and a vowel, or of a syllable without trail and a trail;
    /// `nil` for all other pairs.
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
