// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The calls that check the facets of a type and of its bases.
enum FacetChecks {
    /// The arguments of each call beside the value.
    ///
    /// Patterns of one derivation are alternatives, and those of the bases have to match too, so that each derivation with patterns has a call of its
    /// own. Of the other facets a derived type's count, which can only be narrower.
    static func calls(_ restriction: Declaration.Restriction) -> [[SourceExpression]] {
        let all = restriction.facets
        var first: [SourceExpression] = []
        if hasLength(restriction.value) {
            first += argument("length", nearest(all, \.length).map(String.init))
            first += argument("minimumLength", nearest(all, \.minimumLength).map(String.init))
            first += argument("maximumLength", nearest(all, \.maximumLength).map(String.init))
        }
        let patterns = all.map(\.patterns).filter { !$0.isEmpty }.map { patterns in
            SourceExpression.labelled("patterns", .array(patterns.map(SourceExpression.literal)))
        }
        first += patterns.prefix(1)
        if isOrdered(restriction.value) {
            first += argument("minimumInclusive", nearest(all, \.minimumInclusive).map(SourceText.literal))
            first += argument("minimumExclusive", nearest(all, \.minimumExclusive).map(SourceText.literal))
            first += argument("maximumInclusive", nearest(all, \.maximumInclusive).map(SourceText.literal))
            first += argument("maximumExclusive", nearest(all, \.maximumExclusive).map(SourceText.literal))
        }
        if isNumber(restriction.value) {
            first += argument("totalDigits", nearest(all, \.totalDigits).map(String.init))
            first += argument("fractionDigits", nearest(all, \.fractionDigits).map(String.init))
        }
        return (first.isEmpty ? [] : [first]) + patterns.dropFirst().map { [$0] }
    }

    /// The patterns of each derivation where a value has several texts, of which they decide; empty elsewhere.
    static func decidingPatterns(_ restriction: Declaration.Restriction) -> [SourceExpression] {
        guard hasSeveralTexts(restriction.value) else { return [] }
        return restriction.facets.map(\.patterns).filter { !$0.isEmpty }.map { patterns in
            .array(patterns.map(SourceExpression.literal))
        }
    }

    private static func hasSeveralTexts(_ type: SwiftType) -> Bool {
        guard case .library(let name) = type else { return false }
        return isNumber(type) || ["Bool", "Double", "Float", "XMLDateTime", "XMLHexBinary", "XMLTime"].contains(name)
    }

    private static func argument(_ label: String, _ value: String?) -> [SourceExpression] {
        value.map { [.labelled(label, .text($0))] } ?? []
    }

    private static func nearest<Value>(_ facets: [Facets], _ facet: KeyPath<Facets, Value?>) -> Value? {
        for facets in facets {
            if let value = facets[keyPath: facet] { return value }
        }
        return nil
    }

    private static func hasLength(_ type: SwiftType) -> Bool {
        switch type {
        case .list: true
        case .library(let name): ["String", "XMLBinary", "XMLHexBinary"].contains(name)
        default: false
        }
    }

    /// Whether the type has less and greater.
    private static func isOrdered(_ type: SwiftType) -> Bool {
        guard case .library(let name) = type else { return false }
        return !["Bool", "String", "XMLAnyValue", "XMLBinary", "XMLHexBinary", "XMLName"].contains(name)
    }

    private static func isNumber(_ type: SwiftType) -> Bool {
        guard case .library(let name) = type else { return false }
        return name == "Decimal" || name.hasPrefix("Int") || name.hasPrefix("UInt")
    }
}
