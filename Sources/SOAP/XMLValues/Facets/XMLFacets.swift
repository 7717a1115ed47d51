// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Checks the facets of simple types (XML Schema Part 2 section 4.3).
public enum XMLFacets {
    /// Checks a value.
    ///
    /// A facet that is `nil` or empty, the default, is not checked. Lengths and bounds are checked only of values that have a known length or
    /// an order.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - length: The exact length: Unicode scalars of a text, bytes, or items of a list.
    ///   - minimumLength: The least length.
    ///   - maximumLength: The greatest length.
    ///   - patterns: Regular expressions of XML Schema, one of which has to match a text of the value.
    ///   - enumeration: The texts of the values that are allowed.
    ///   - minimumInclusive: The least value, as a text of the value's type.
    ///   - minimumExclusive: The greatest value that is too small.
    ///   - maximumInclusive: The greatest value.
    ///   - maximumExclusive: The least value that is too large.
    ///   - totalDigits: The most decimal digits.
    ///   - fractionDigits: The most decimal digits of the fraction.
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` for a facet that the value does not satisfy, ``XMLValueError/pattern(_:at:)`` for an
    ///   unusable pattern, ``XMLValueError/longPatternText(mostBytes:at:)`` where the text of the value has more than 65,536 bytes and
    ///   there are patterns, and what reading a bound or a text of the enumeration throws.
    public static func check<Value: XMLSimpleType>(
        _ value: Value, length: Int? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil,
        patterns: [String] = [], enumeration: [String] = [], minimumInclusive: String? = nil,
        minimumExclusive: String? = nil, maximumInclusive: String? = nil, maximumExclusive: String? = nil,
        totalDigits: Int? = nil, fractionDigits: Int? = nil
    ) throws(XMLValueError) {
        if length != nil || minimumLength != nil || maximumLength != nil,
            let count = (value as? any XMLMeasured)?.xmlLength
        {
            if let length, count != length { throw try failure(.length(length), value) }
            if let minimumLength, count < minimumLength { throw try failure(.minimumLength(minimumLength), value) }
            if let maximumLength, count > maximumLength { throw try failure(.maximumLength(maximumLength), value) }
        }
        if !patterns.isEmpty { _ = try text(of: value, patterns: [patterns]) }
        if !enumeration.isEmpty { try check(value, enumeration: enumeration) }
        if let ordered = value as? any XMLOrdered {
            if let bound = minimumInclusive, try ordered.order(to: bound) ?? -1 < 0 {
                throw try failure(.minimumInclusive(bound), value)
            }
            if let bound = minimumExclusive, try ordered.order(to: bound) ?? -1 <= 0 {
                throw try failure(.minimumExclusive(bound), value)
            }
            if let bound = maximumInclusive, try ordered.order(to: bound) ?? 1 > 0 {
                throw try failure(.maximumInclusive(bound), value)
            }
            if let bound = maximumExclusive, try ordered.order(to: bound) ?? 1 >= 0 {
                throw try failure(.maximumExclusive(bound), value)
            }
        }
        if totalDigits != nil || fractionDigits != nil {
            try check(value, totalDigits: totalDigits, fractionDigits: fractionDigits)
        }
    }

    /// Checks that a value is the only one allowed (`fixed`).
    ///
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` where it is another one, and what reading the fixed text throws.
    public static func check<Value: XMLSimpleType>(_ value: Value, fixed text: String) throws(XMLValueError) {
        let fixed = try Value(xmlText: Value.whiteSpace.normalize(text), in: XMLScope())
        guard value == fixed else { throw try failure(.fixed(text), value) }
    }

    /// Returns a text of a value that matches patterns.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - patterns: Groups of regular expressions of XML Schema. In each group, one has to match the text.
    /// - Returns: The canonical text where it matches, otherwise another text of the same value, such as `1.50` for `1.5`.
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` where no text of the value matches, ``XMLValueError/pattern(_:at:)`` for an unusable
    ///   pattern, ``XMLValueError/longPatternText(mostBytes:at:)`` where the text has more than 65,536 bytes, and what writing the value
    ///   throws.
    public static func text<Value: XMLSimpleType>(
        of value: Value, patterns: [[String]]
    ) throws(XMLValueError) -> String {
        try self.text(of: value, writtenAs: text(of: value), patterns: patterns)
    }

    /// Returns a text of a value that matches patterns, if possible the one that the value was read from.
    package static func text<Value: XMLSimpleType>(
        of value: Value, writtenAs text: String, patterns: [[String]]
    ) throws(XMLValueError) -> String {
        guard let failing = try failing(patterns, text) else { return text }
        let canonical = try self.text(of: value)
        if text != canonical, try self.failing(patterns, canonical) == nil { return canonical }
        for other in XMLLexicalForms.others(of: value, canonical: canonical)
        where try self.failing(patterns, other) == nil {
            return other
        }
        throw .facet(.patterns(failing), value: text)
    }

    /// The first group of patterns that has no match for a text.
    private static func failing(_ groups: [[String]], _ text: String) throws(XMLValueError) -> [String]? {
        for group in groups {
            var matches = false
            for pattern in group where !matches { matches = try XMLPattern.matches(pattern, text) }
            if !matches { return group }
        }
        return nil
    }

    private static func check<Value: XMLSimpleType>(
        _ value: Value, enumeration: [String]
    ) throws(XMLValueError) {
        for text in enumeration where try Value(xmlText: text, in: XMLScope()) == value { return }
        throw try failure(.enumeration(enumeration), value)
    }

    private static func check<Value: XMLSimpleType>(
        _ value: Value, totalDigits: Int?, fractionDigits: Int?
    ) throws(XMLValueError) {
        let text = try text(of: value)
        guard let digits = XMLDecimalDigits(text) else { throw .invalid(text: text, type: "decimal") }
        if let most = totalDigits, max(digits.digits.count, digits.fractionCount) > most {
            throw .facet(.totalDigits(most), value: text)
        }
        if let most = fractionDigits, digits.fractionCount > most { throw .facet(.fractionDigits(most), value: text) }
    }

    private static func failure(_ facet: XMLFacet, _ value: some XMLSimpleType) throws(XMLValueError) -> XMLValueError {
        .facet(facet, value: try text(of: value))
    }

    private static func text(of value: some XMLSimpleType) throws(XMLValueError) -> String {
        var scope = XMLScope()
        return try value.xmlText(in: &scope)
    }
}
