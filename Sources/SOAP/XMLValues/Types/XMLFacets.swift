// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
import EssentialFoundation
import Synchronization

/// Checks of the facets of simple types (XML Schema Part 2 section 4.3).
public enum XMLFacets {
    /// Checks a value.
    ///
    /// Facets that are `nil` or empty, the default, are not checked. Lengths and bounds are checked only for types that
    /// have a length or an order.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - length: The exact length: Unicode scalars of a text, bytes, or items of a list.
    ///   - minimumLength: The minimum length.
    ///   - maximumLength: The maximum length.
    ///   - patterns: XML Schema regular expressions, one of which must match a text of the value.
    ///   - enumeration: The texts of the allowed values.
    ///   - minimumInclusive: The minimum, as a text of the value's type.
    ///   - minimumExclusive: The bound that the value must exceed.
    ///   - maximumInclusive: The maximum.
    ///   - maximumExclusive: The bound that the value must be less than.
    ///   - totalDigits: The maximum number of decimal digits.
    ///   - fractionDigits: The maximum number of decimal digits in the fraction.
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` for a facet that the value does not satisfy,
    ///   ``XMLValueError/pattern(_:at:)`` for an unusable pattern,
    ///   ``XMLValueError/longPatternText(maximumByteCount:at:)`` if the text of the value has more than 65,536 bytes
    ///   and there are patterns, and errors of reading a bound or a text of the enumeration.
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

    /// Checks that a value equals the only allowed one (`fixed`).
    ///
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` if the value differs, and errors of reading the fixed text.
    public static func check<Value: XMLSimpleType>(_ value: Value, fixed text: String) throws(XMLValueError) {
        let fixed = try Value(xmlText: Value.whiteSpace.normalize(text), in: XMLScope())
        guard value == fixed else { throw try failure(.fixed(text), value) }
    }

    /// Returns a text of a value that matches the patterns.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - patterns: Groups of XML Schema regular expressions. In each group, one must match the text.
    /// - Returns: The canonical text if it matches, otherwise another text of the same value, such as `1.50` for `1.5`.
    /// - Throws: ``XMLValueError/facet(_:value:at:)`` if no text of the value matches, ``XMLValueError/pattern(_:at:)``
    ///   for an unusable pattern, ``XMLValueError/longPatternText(maximumByteCount:at:)`` if the text has more than
    ///   65,536 bytes, and errors of writing the value.
    public static func text<Value: XMLSimpleType>(
        of value: Value, patterns: [[String]]
    ) throws(XMLValueError) -> String {
        try self.text(of: value, writtenAs: text(of: value), patterns: patterns)
    }

    /// Returns a text of a value that matches the patterns, if possible the text that the value was read from.
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

    /// Returns the first group of patterns that has no match for a text.
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
        if let limit = totalDigits, max(digits.digits.count, digits.fractionCount) > limit {
            throw .facet(.totalDigits(limit), value: text)
        }
        if let limit = fractionDigits, digits.fractionCount > limit {
            throw .facet(.fractionDigits(limit), value: text)
        }
    }

    private static func failure(_ facet: XMLFacet, _ value: some XMLSimpleType) throws(XMLValueError) -> XMLValueError {
        .facet(facet, value: try text(of: value))
    }

    private static func text(of value: some XMLSimpleType) throws(XMLValueError) -> String {
        var scope = XMLScope()
        return try value.xmlText(in: &scope)
    }
}

/// The lexical representations of a value (XML Schema Part 2 section 2.3).
///
/// A pattern applies to the text, so that it can require a text other than the canonical one: `1.50` for a price.
private enum XMLLexicalForms {
    /// The maximum number of zeros to add.
    private static let maximumZeroCount = 18

    /// Returns texts of a value other than the canonical one, the most common first.
    static func others<Value: XMLSimpleType>(of value: Value, canonical text: String) -> [String] {
        switch value {
        case let value as Bool: [value ? "1" : "0"]
        case is XMLHexBinary: [text.lowercased()]
        case is XMLDecimalText, is Decimal, is any BinaryInteger, is any BinaryFloatingPoint:
            numbers(text, hasFraction: !(value is any BinaryInteger))
        case is XMLDateTime, is XMLTime: times(text)
        default: []
        }
    }

    /// Returns texts of a number with zeros added at both ends, and with a plus sign.
    private static func numbers(_ text: String, hasFraction: Bool) -> [String] {
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = text.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
        guard let integerPart = parts.first, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else {
            return []
        }
        let digits = parts.count == 2 ? String(parts[1]) : ""
        let trailing = hasFraction ? 0...maximumZeroCount : 0...0
        let fractions = trailing.map { count in
            digits.isEmpty && count == 0 ? "" : "." + digits + String(repeating: "0", count: count)
        }
        var integerParts = (0...maximumZeroCount).map { String(repeating: "0", count: $0) + integerPart }
        if hasFraction, integerPart == "0" { integerParts.append("") }
        let unsigned = integerParts.flatMap { integerPart in fractions.map { integerPart + $0 } }.filter { !$0.isEmpty }
        return unsigned.map { sign + $0 } + (sign.isEmpty ? unsigned.map { "+" + $0 } : [])
    }

    /// Returns texts of a time with zeros added after the seconds, and with both representations of UTC.
    private static func times(_ text: String) -> [String] {
        let offset = text.suffix(6)
        let zone = text.hasSuffix("Z") ? "Z" : offset.first == "+" || offset.first == "-" ? String(offset) : ""
        let time = text.dropLast(zone.count)
        let zones = ["Z", "+00:00"].contains(zone) ? ["Z", "+00:00"] : [zone]
        let point = time.contains(".") ? "" : "."
        let times = [String(time)] + (1...9).map { time + point + String(repeating: "0", count: $0) }
        return zones.flatMap { zone in times.map { $0 + zone } }
    }
}

/// A value that has a length (XML Schema Part 2 section 4.3.1).
private protocol XMLMeasured {
    /// The length; `nil` if it is not known yet.
    var xmlLength: Int? { get }
}

extension String: XMLMeasured {
    /// The length in Unicode scalars, not in visible characters.
    var xmlLength: Int? { unicodeScalars.count }
}

extension XMLBinary: XMLMeasured {
    /// The number of bytes; unknown for an attachment that is read from a stream.
    var xmlLength: Int? { size }
}

extension XMLHexBinary: XMLMeasured {
    var xmlLength: Int? { bytes.count }
}

extension XMLList: XMLMeasured {
    var xmlLength: Int? { count }
}

/// XML Schema regular expressions (Part 2 appendix F), which libxml2 compiles once per process.
///
/// Threads can share a compiled expression, because matching does not change it. Expressions are never freed.
private enum XMLPattern {
    /// The maximum size of a compared text, because the time of some expressions grows faster than the text.
    static let maximumByteCount = 64 << 10
    /// The maximum number of cached expressions; generated code needs as many as its schema has.
    static let maximumPatternCount = 10_000

    /// The addresses of compiled expressions.
    private static let cache = Mutex<[String: UInt]>([:])

    /// Returns whether an expression matches an entire text.
    static func matches(_ pattern: String, _ text: String) throws(XMLValueError) -> Bool {
        guard text.utf8.count <= maximumByteCount else { throw .longPatternText(maximumByteCount: maximumByteCount) }
        guard let compiled = compiled(pattern) else { throw .pattern(pattern) }
        let result = text.withCString { bytes in
            bytes.withMemoryRebound(to: xmlChar.self, capacity: text.utf8.count + 1) { xmlRegexpExec(compiled, $0) }
        }
        guard result >= 0 else { throw .pattern(pattern) }
        return result == 1
    }

    private static func compiled(_ pattern: String) -> xmlRegexpPtr? {
        let address: UInt? = cache.withLock { cache in
            if let address = cache[pattern] { return address }
            guard cache.count < maximumPatternCount, let compiled = xmlRegexpCompile(pattern) else { return nil }
            let address = UInt(bitPattern: compiled)
            cache[pattern] = address
            return address
        }
        return address.flatMap { xmlRegexpPtr(bitPattern: $0) }
    }
}
