// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import EssentialFoundation
internal import XMLDocuments

/// Generates a value of a simple type that its facets allow.
struct SimpleSampler {
    /// The parsed patterns, cached because the same types are used often.
    private var patterns: [String: Pattern?] = [:]
    private var identifiers = 0

    /// Generates a value; `nil` if none was found.
    mutating func value(of shape: SimpleShape) -> ElementTree.Value? {
        if let first = shape.enumeration.first(where: { allows($0.text, shape, ignoringEnumeration: true) }) {
            return literal(first.text, shape)
        }
        switch shape {
        case .atomic(let type, let facets): return atomic(type, facets)
        case .list(let item, let facets):
            let count = facets.map { $0.length ?? $0.minimumLength ?? 1 }.max() ?? 1
            guard count <= 10_000 else { return nil }
            guard count > 0, facets.allSatisfy(\.patterns.isEmpty) else {
                return facets.compactMap { $0.patterns.first }.last.flatMap { pattern($0)?.sample() }.map { .text($0) }
            }
            guard let value = value(of: item) else { return nil }
            return .list(Array(repeating: value, count: count))
        case .union(let members, _):
            for member in members {
                if let value = value(of: member), allows(text(value), shape, ignoringEnumeration: true) { return value }
            }
            return nil
        }
    }

    /// Returns the value of a text in the schema; a QName loses its prefix.
    private func literal(_ text: String, _ shape: SimpleShape) -> ElementTree.Value {
        guard case .atomic(.qName, _) = shape else { return .text(text) }
        return .name(XMLName(text.split(separator: ":").last.map(String.init) ?? text))
    }

    private func text(_ value: ElementTree.Value) -> String {
        switch value {
        case .text(let text): text
        case .name(let name), .arrayType(let name, _): name.local
        case .list(let items): items.map(text).joined(separator: " ")
        }
    }

    // MARK: Built-in types

    private mutating func atomic(_ type: BuiltInType, _ facets: [Facets]) -> ElementTree.Value? {
        let shape = SimpleShape.atomic(type, facets)
        if type == .qName { return .name(XMLName("string", in: KnownNamespaces.schema)) }
        for candidate in candidates(type, facets) where allows(candidate, shape, ignoringEnumeration: false) {
            return .text(candidate)
        }
        return nil
    }

    private mutating func candidates(_ type: BuiltInType, _ facets: [Facets]) -> [String] {
        if type == .id {
            identifiers += 1
            return ["id\(identifiers)"]
        }
        if type == .idReference { return ["id\(max(1, identifiers))"] }
        let written = bounds(facets)
        let fromPatterns = patternSamples(facets)
        if let number = NumberSampler(type, facets) { return number.candidates + fromPatterns }
        let plain = Self.plain[type] ?? "a"
        switch type {
        case .hexBinary:
            let count = wantedLength(facets) ?? 4
            return [String(repeating: "0A", count: min(count, 10_000))] + fromPatterns
        case .base64Binary:
            let count = wantedLength(facets) ?? 4
            return [Base64.encode(repeatElement(65, count: min(count, 10_000)))] + fromPatterns
        case .duration, .dateTime, .time, .date, .gYearMonth, .gYear, .gMonthDay, .gDay, .gMonth, .boolean:
            return [plain] + written + (type == .boolean ? ["false", "1", "0"] : []) + fromPatterns
        default: return fromPatterns + [fitted(plain, facets)]
        }
    }

    private static let plain: [BuiltInType: String] = [
        .string: "text", .normalizedString: "text", .token: "text", .anySimpleType: "text", .language: "en",
        .name: "name", .ncName: "name", .nmToken: "name", .entity: "name", .notation: "name", .boolean: "true",
        .duration: "P1D", .dateTime: "2024-02-29T12:30:00Z", .time: "12:30:00", .date: "2024-02-29",
        .gYearMonth: "2024-02", .gYear: "2024", .gMonthDay: "--02-29", .gDay: "---29", .gMonth: "--02",
        .anyURI: "https://example.com/",
    ]

    private func bounds(_ facets: [Facets]) -> [String] {
        facets.flatMap { [$0.minimumInclusive, $0.maximumInclusive] }.compactMap { $0 }
    }

    /// Returns the preferred length of a value, from the length facets.
    private func wantedLength(_ facets: [Facets]) -> Int? {
        if let length = facets.compactMap(\.length).last { return length }
        let minimum = facets.compactMap(\.minimumLength).max() ?? 0
        guard let maximum = facets.compactMap(\.maximumLength).min() else { return minimum > 4 ? minimum : nil }
        return max(minimum, min(4, maximum))
    }

    private func fitted(_ text: String, _ facets: [Facets]) -> String {
        let exact = facets.compactMap(\.length).last
        let shortest = min(exact ?? facets.compactMap(\.minimumLength).max() ?? 0, 100_000)
        let limit = exact ?? facets.compactMap(\.maximumLength).min() ?? Int.max
        let missing = max(0, shortest - text.count)
        return String((text + String(repeating: "x", count: missing)).prefix(limit))
    }

    // MARK: Facets

    private mutating func patternSamples(_ facets: [Facets]) -> [String] {
        var found: [String] = []
        let shortest = facets.compactMap { $0.length ?? $0.minimumLength }.max() ?? 0
        for text in facets.reversed().flatMap(\.patterns) {
            guard let pattern = pattern(text) else { continue }
            // An empty sample shows little and other facets may forbid it, so a longer one is tried first.
            let lengths = [max(1, shortest), shortest]
            for sample in lengths.compactMap({ pattern.sample(length: $0) }) where !found.contains(sample) {
                found.append(sample)
            }
        }
        return found
    }

    private mutating func pattern(_ text: String) -> Pattern? {
        if let known = patterns[text] { return known }
        let pattern = Pattern(text)
        patterns[text] = pattern
        return pattern
    }

    /// Returns whether the facets allow a value; only cheap checks are made, and bounds are checked for numbers only.
    private mutating func allows(_ text: String, _ shape: SimpleShape, ignoringEnumeration: Bool) -> Bool {
        for step in shape.facets {
            if !ignoringEnumeration, !step.enumeration.isEmpty, !step.enumeration.contains(where: { $0.text == text }) {
                return false
            }
            if !step.patterns.isEmpty {
                let known = step.patterns.compactMap { pattern($0)?.matches(text) }
                if known.count == step.patterns.count, !known.contains(true) { return false }
            }
            guard case .atomic(let type, _) = shape else { continue }
            let length = Self.length(text, type)
            if let wanted = step.length, length != wanted { return false }
            if let shortest = step.minimumLength, length < shortest { return false }
            if let limit = step.maximumLength, length > limit { return false }
        }
        guard case .atomic(let type, let facets) = shape, let number = NumberSampler(type, facets) else { return true }
        return number.allows(text)
    }

    private static func length(_ text: String, _ type: BuiltInType) -> Int {
        switch type {
        case .hexBinary: text.utf8.count / 2
        case .base64Binary: Base64.decode(text)?.count ?? 0
        default: text.unicodeScalars.count
        }
    }
}

/// Generates numbers within the bounds and the digit limits of facets.
private struct NumberSampler {
    private let isInteger: Bool
    private var minimum: Decimal?
    private var maximum: Decimal?
    private var isMinimumExclusive = false
    private var isMaximumExclusive = false
    private var totalDigits = Int.max
    private var fractionDigits = Int.max

    /// Returns `nil` for types that are not numeric.
    init?(_ type: BuiltInType, _ facets: [Facets]) {
        guard type.isNumber else { return nil }
        isInteger = ![.decimal, .float, .double].contains(type)
        for step in [type.bounds] + facets {
            raise(Self.number(step.minimumInclusive), isExclusive: false)
            raise(Self.number(step.minimumExclusive), isExclusive: true)
            lower(Self.number(step.maximumInclusive), isExclusive: false)
            lower(Self.number(step.maximumExclusive), isExclusive: true)
            totalDigits = min(totalDigits, step.totalDigits ?? Int.max)
            fractionDigits = min(fractionDigits, step.fractionDigits ?? Int.max)
        }
    }

    private static func number(_ text: String?) -> Decimal? { text.flatMap { Decimal(string: $0) } }

    private mutating func raise(_ bound: Decimal?, isExclusive: Bool) {
        guard let bound, minimum.map({ bound > $0 || (bound == $0 && isExclusive) }) ?? true else { return }
        (minimum, isMinimumExclusive) = (bound, isExclusive)
    }

    private mutating func lower(_ bound: Decimal?, isExclusive: Bool) {
        guard let bound, maximum.map({ bound < $0 || (bound == $0 && isExclusive) }) ?? true else { return }
        (maximum, isMaximumExclusive) = (bound, isExclusive)
    }

    /// The candidate numbers, the simplest first.
    var candidates: [String] {
        var numbers: [Decimal] = [1, 0]
        // The smallest step that the fraction digits allow.
        var step: Decimal = 1
        if !isInteger { for _ in 0..<min(fractionDigits, 6) { step /= 10 } }
        let low = minimum.map { [$0, $0 + 1, $0 + step] } ?? []
        let high = maximum.map { [$0, $0 - 1, $0 - step] } ?? []
        // The bound that is nearer to zero gives the shorter number.
        numbers += maximum.map { $0 < 0 } ?? false ? high + low : low + high
        if let minimum, let maximum { numbers.append((minimum + maximum) / 2) }
        numbers += [10, 100, 1_000, -1]
        return numbers.map { "\($0)" }
    }

    /// Returns whether a number is within the bounds and has no more digits than allowed.
    func allows(_ text: String) -> Bool {
        // Infinity and NaN are accepted for floating-point types.
        guard let number = Decimal(string: text) else { return !isInteger }
        if let minimum, isMinimumExclusive ? number <= minimum : number < minimum { return false }
        if let maximum, isMaximumExclusive ? number >= maximum : number > maximum { return false }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1].count : 0
        let digits = text.count { $0.isNumber } - (text.hasPrefix("0.") || text.hasPrefix("-0.") ? 1 : 0)
        return fraction <= (isInteger ? 0 : fractionDigits) && digits <= totalDigits
    }
}
