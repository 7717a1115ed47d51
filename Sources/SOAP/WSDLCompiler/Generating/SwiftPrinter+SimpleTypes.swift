// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLValues

extension SwiftPrinter {
    mutating func alias(_ type: SwiftType, _ number: Int, _ declaration: Declaration) {
        source.line("\(access)typealias \(declaration.name) = \(plan.name(of: type, in: declaration.parent))")
    }

    mutating func enumeration(
        _ cases: [Declaration.EnumerationCase], _ whiteSpace: XMLWhiteSpace?, _ number: Int,
        _ declaration: Declaration
    ) {
        open(enumeration: declaration, "String, XMLSimpleType, CaseIterable")
        for member in cases {
            if let text = member.documentation { source.comment(Documentation("", text: text).paragraphs) }
            let name = SwiftName.escaped(member.name)
            if member.name == member.value {
                source.line("case \(name)")
            } else {
                source.statement("case \(name) = ", .literal(member.value))
            }
        }
        xmlType(declaration.xmlType)
        if whiteSpace == .preserve { self.whiteSpace(".preserve") }
        source.close()
    }

    mutating func restriction(_ restriction: Declaration.Restriction, _ number: Int, _ declaration: Declaration) {
        let type = plan.name(of: restriction.value, in: number)
        source.open("\(access)struct \(declaration.name): XMLSimpleType {")
        source.comment(["The value, which satisfies the facets of the type."])
        source.line("\(access)let value: \(type)")
        source.open("\(access)init(_ value: \(type)) throws(XMLValueError) {", comment: "Checks and stores a value.")
        source.line("try Self.check(value)")
        source.line("self.value = value")
        source.close()
        nested(declaration.nested)
        xmlType(declaration.xmlType)
        if let whiteSpace = Self.whiteSpace(of: restriction) { self.whiteSpace(whiteSpace) }
        source.open(
            "\(access)init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {",
            comment: "Parses and checks a text.")
        // A string needs no parsing.
        source.line(restriction.value == .string ? "value = text" : "value = try \(type)(xmlText: text, in: scope)")
        source.line("if scope.checksFacets { try Self.check(value) }")
        source.close()
        textOfValue(restriction)
        source.blank()
        source.open("private static func check(_ value: \(type)) throws(XMLValueError) {")
        for check in FacetChecks.calls(restriction) {
            source.statement("try ", .call("XMLFacets.check", ["value"] + check))
        }
        source.close()
        source.close()
    }

    private mutating func textOfValue(_ restriction: Declaration.Restriction) {
        source.open(
            "\(access)func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {",
            comment: "Returns the text of the value.")
        let patterns = FacetChecks.decidingPatterns(restriction)
        if patterns.isEmpty {
            source.line("\(Self.text(of: restriction.value))")
        } else {
            source.statement(
                "try ", .call("XMLFacets.text", [.text("of: value"), .labelled("patterns", .array(patterns))]))
        }
        source.close()
    }

    /// Returns the expression for the text of `value`, with `try` only if it can throw.
    private static func text(of type: SwiftType) -> String {
        guard case .library(let name) = type, !["Decimal", "XMLBinary", "XMLName"].contains(name) else {
            return "try value.xmlText(in: &scope)"
        }
        return name == "String" ? "value" : "value.xmlText(in: &scope)"
    }

    private mutating func whiteSpace(_ whiteSpace: String) {
        source.blank()
        source.comment(["The treatment of white space before a text is parsed."])
        source.block("\(access)static var whiteSpace: XMLWhiteSpace", .text(whiteSpace))
    }

    /// Returns the whitespace handling of a restriction; `nil` for the default, collapse.
    private static func whiteSpace(of restriction: Declaration.Restriction) -> String? {
        let found = restriction.facets.compactMap(\.whiteSpace).first ?? restriction.primitive?.whiteSpace ?? .collapse
        return found == .collapse ? nil : ".\(found)"
    }

    /// Writes the enum of a union, with one case for each member type.
    mutating func union(_ cases: [Declaration.UnionCase], _ number: Int, _ declaration: Declaration) {
        open(enumeration: declaration, "XMLSimpleType")
        for member in cases {
            source.line("case \(SwiftName.escaped(member.name))(\(plan.name(of: member.type, in: number)))")
        }
        nested(declaration.nested)
        xmlType(declaration.xmlType)
        source.open(
            "\(access)init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {",
            comment: "Parses a text as the first type that accepts it.")
        for member in cases.prefix(while: { plan.resolved($0.type) != .string }) {
            let type = plan.name(of: member.type, in: number)
            source.open("if let value = try? \(type)(xmlText: text, in: scope.checked) {")
            source.line("self = .\(SwiftName.escaped(member.name))(value)")
            source.line("return")
            source.close()
        }
        // Every text is a string, so members after a string are unreachable.
        if let member = cases.first(where: { plan.resolved($0.type) == .string }) {
            source.line("self = .\(SwiftName.escaped(member.name))(text)")
        } else {
            source.line("throw .invalid(text: text, type: \(SourceText.literal(declaration.name)))")
        }
        source.close()
        source.open(
            "\(access)func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {",
            comment: "Returns the text of the value.")
        source.line("switch self {")
        for member in cases {
            let text = Self.text(of: plan.resolved(member.type))
            source.line("case .\(SwiftName.escaped(member.name))(let value): \(text)")
        }
        source.line("}")
        source.close()
        source.close()
    }
}

/// The calls that check the facets of a type and of its base types.
private enum FacetChecks {
    /// Returns the arguments of each call, without the value.
    ///
    /// The patterns of one derivation step are alternatives, but each step needs a match, so each step with patterns
    /// has its own call. For any other facet, the derived type's value is used, since it can only be narrower.
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

    /// Returns the patterns of each derivation step if a value has several lexical forms, among which the patterns
    /// decide; no patterns for any other value.
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

    /// Returns whether the values of the type are ordered.
    private static func isOrdered(_ type: SwiftType) -> Bool {
        guard case .library(let name) = type else { return false }
        return !["Bool", "String", "XMLAnyValue", "XMLBinary", "XMLHexBinary", "XMLName"].contains(name)
    }

    private static func isNumber(_ type: SwiftType) -> Bool {
        guard case .library(let name) = type else { return false }
        return name == "Decimal" || name.hasPrefix("Int") || name.hasPrefix("UInt")
    }
}
