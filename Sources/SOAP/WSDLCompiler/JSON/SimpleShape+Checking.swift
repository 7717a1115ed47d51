// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension SimpleShape {
    /// Checks a text with the types and the facets of `XMLValues`, as generated code does, in both directions.
    ///
    /// - Parameters:
    ///   - text: The text from a message or from JSON.
    ///   - scope: The namespaces in scope, for qualified names.
    ///   - fixed: The only text whose value is allowed; `nil` for any.
    /// - Returns: The text with normalized whitespace, or another text of the same value if only that text matches
    ///   a pattern.
    /// - Throws: `XMLValueError`, without a location.
    func checked(_ text: String, in scope: XMLScope, fixed: String? = nil) throws(XMLValueError) -> String {
        switch self {
        case .atomic(let type, let steps): return try type.checked(text, steps, in: scope, fixed: fixed)
        case .list(let item, let steps):
            var items: XMLList<String> = []
            for part in XMLWhiteSpace.collapse.normalize(text).split(separator: " ") {
                items.append(try item.checked(String(part), in: scope))
            }
            for step in steps { try step.check(items) { (try? checkedItems($0, of: item, in: scope)) == items } }
            return try check(items.joined(separator: " "), fixed: fixed, in: scope)
        case .union(let members, let steps):
            for member in members {
                guard let found = try? member.checked(text, in: scope) else { continue }
                for step in steps { try step.check(found) { (try? member.checked($0, in: scope)) == found } }
                return try check(found, fixed: fixed, in: scope)
            }
            throw .invalid(text: text, type: "any member type of the union")
        }
    }

    private func checkedItems(
        _ text: String, of item: SimpleShape, in scope: XMLScope
    ) throws(XMLValueError) -> XMLList<String> {
        var items: XMLList<String> = []
        for part in text.split(whereSeparator: \.isWhitespace) {
            items.append(try item.checked(String(part), in: scope))
        }
        return items
    }

    /// Compares the text of a list or a union with the fixed text.
    private func check(_ text: String, fixed: String?, in scope: XMLScope) throws(XMLValueError) -> String {
        guard let fixed, try checked(fixed, in: scope) != text else { return text }
        throw .facet(.fixed(fixed), value: text)
    }
}

extension Facets {
    /// Checks the facets of one restriction step, without `whiteSpace`; `isEqual` compares the value with a value
    /// of an enumeration.
    fileprivate func check<Value: XMLSimpleType>(
        _ value: Value, isEqual: (String) -> Bool, withPatterns: Bool = true
    ) throws(XMLValueError) {
        try XMLFacets.check(
            value, length: length, minimumLength: minimumLength, maximumLength: maximumLength,
            patterns: withPatterns ? patterns : [], minimumInclusive: minimumInclusive,
            minimumExclusive: minimumExclusive, maximumInclusive: maximumInclusive, maximumExclusive: maximumExclusive,
            totalDigits: totalDigits, fractionDigits: fractionDigits)
        guard enumeration.isEmpty || enumeration.contains(where: { isEqual($0.text) }) else {
            var scope = XMLScope()
            throw .facet(.enumeration(enumeration.map(\.text)), value: try value.xmlText(in: &scope))
        }
    }
}

extension BuiltInType {
    fileprivate func checked(
        _ text: String, _ steps: [Facets], in scope: XMLScope, fixed: String?
    ) throws(XMLValueError) -> String {
        let text = whiteSpace(steps).normalize(text)
        guard isLexical(text) else { throw .invalid(text: text, type: rawValue) }
        do {
            return try checked(text, as: valueType, steps, in: scope, fixed: fixed)
        } catch {
            guard case .invalid(let text, _, _) = error else { throw error }
            throw .invalid(text: text, type: rawValue)
        }
    }

    private func checked<Value: XMLSimpleType>(
        _ text: String, as: Value.Type, _ steps: [Facets], in scope: XMLScope, fixed: String?
    ) throws(XMLValueError) -> String {
        let whiteSpace = whiteSpace(steps)
        let value = try Value(xmlText: text, in: scope)
        for step in [bounds] + steps {
            try step.check(
                value,
                isEqual: { other in
                    // The prefixes of names in the schema are not stored, so only local names are compared.
                    if let name = value as? XMLName { return name.local == other.localPart }
                    return (try? Value(xmlText: whiteSpace.normalize(other), in: scope)) == value
                }, withPatterns: false)
        }
        if let fixed {
            if let name = value as? XMLName {
                guard name.local == fixed.localPart else { throw .facet(.fixed(fixed), value: text) }
            } else {
                try XMLFacets.check(value, fixed: whiteSpace.normalize(fixed))
            }
        }
        let patterns = steps.map(\.patterns).filter { !$0.isEmpty }
        guard patterns.isEmpty else { return try XMLFacets.text(of: value, writtenAs: text, patterns: patterns) }
        // Base64 text may have insignificant spaces between its digits.
        return self == .base64Binary ? text.filter { $0 != " " } : text
    }

    /// Returns whether a text satisfies the lexical rules of the type that ``valueType`` does not check.
    private func isLexical(_ text: String) -> Bool {
        switch self {
        case .language: text.isXMLLanguage
        case .name: text.isXMLNameWithColons
        case .ncName, .id, .idReference, .entity: text.isXMLName
        case .nmToken: text.isXMLNameToken
        case .notation:
            text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).allSatisfy {
                String($0).isXMLName
            }
        case .decimal, .float, .double: true
        default: !isNumber || text.isXMLInteger
        }
    }

    private func whiteSpace(_ steps: [Facets]) -> XMLWhiteSpace { steps.compactMap(\.whiteSpace).last ?? whiteSpace }
}

extension String {
    /// A qualified name without its prefix.
    fileprivate var localPart: String { split(separator: ":").last.map { String($0).trimmingSpaces } ?? self }
}
