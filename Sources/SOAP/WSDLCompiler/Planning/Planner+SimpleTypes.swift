// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension Planner {
    /// The Swift form of a simple type.
    private enum Shape {
        /// Another type without facets to check.
        case plain(TypeReference)
        case list(TypeReference)
        case enumeration(Facets)
        case union([TypeReference])
        /// A type without facets, and the facets of the simple type and its bases, which are checked.
        case checked(TypeReference, [Facets], primitive: BuiltInType?)
        /// A list with facets.
        case checkedList(TypeReference, [Facets])
    }

    /// Sets the kind of a declaration for a simple type.
    mutating func define(_ number: Int, simple type: SimpleType) {
        declarations[number].documentation.text = type.documentation
        switch shape(of: type) {
        case .plain(let reference):
            declarations[number].isAlias = true
            declarations[number].kind = .alias(swiftType(reference, name: "Value", in: number, isElement: false))
        case .list(let item):
            declarations[number].isAlias = true
            declarations[number].kind = .alias(.list(swiftType(item, name: "Item", in: number, isElement: false)))
        case .enumeration(let facets):
            declarations[number].kind = enumeration(facets)
        case .union(let members):
            declarations[number].kind = .union(unionCases(members, in: number))
        case .checked(let reference, let facets, let primitive):
            let value = swiftType(reference, name: "Content", in: number, isElement: false)
            declarations[number].kind = .restriction(.init(value: value, facets: facets, primitive: primitive))
        case .checkedList(let item, let facets):
            let item = swiftType(item, name: "Item", in: number, isElement: false)
            declarations[number].kind = .restriction(.init(value: .list(item), facets: facets, primitive: nil))
        }
    }

    /// Returns the Swift type of an anonymous simple type if the type needs no declaration; otherwise `nil`.
    mutating func plainType(_ type: SimpleType, name: String, in parent: Int) -> SwiftType? {
        switch shape(of: type) {
        case .plain(let reference): swiftType(reference, name: name, in: parent, isElement: false)
        case .list(let item): .list(swiftType(item, name: name, in: parent, isElement: false))
        default: nil
        }
    }

    private func shape(of type: SimpleType) -> Shape {
        switch type.variety {
        case .list(let item, let facets): return facets.isChecked ? .checkedList(item, [facets]) : .list(item)
        case .union(let members, _): return .union(members)
        case .restriction(let base, let facets):
            var (chain, next) = ([facets], base)
            // The reader rejects cycles; the limit prevents an endless loop for a description made in code.
            for _ in 0..<256 {
                if case .builtIn(let primitive) = next {
                    guard facets.enumeration.isEmpty || primitive == .qName || primitive == .notation else {
                        return .enumeration(facets)
                    }
                    guard chain.contains(where: \.isChecked) else { return .plain(base) }
                    if !facets.isChecked, case .global = base { return .plain(base) }
                    // For integer types, only the bounds beyond those of the Swift type need checks.
                    if SwiftType(primitive) == SwiftType(.integer), primitive.bounds.isChecked {
                        chain.append(primitive.bounds)
                    }
                    return .checked(next, chain, primitive: primitive)
                }
                guard case .simple(let simple)? = schema.definition(of: next) else { return .plain(base) }
                switch simple.variety {
                case .restriction(let deeper, let more):
                    if !more.enumeration.isEmpty, facets.enumeration.isEmpty { return .plain(base) }
                    chain.append(more)
                    next = deeper
                case .list(let item, let more):
                    chain.append(more)
                    guard chain.contains(where: \.isChecked) else { return .plain(base) }
                    return .checkedList(item, chain)
                case .union:
                    guard facets.enumeration.isEmpty else { return .enumeration(facets) }
                    guard chain.contains(where: { !$0.patterns.isEmpty }) else { return .plain(base) }
                    return .checked(next, chain, primitive: nil)
                }
            }
            return .plain(base)
        }
    }

    private func enumeration(_ facets: Facets) -> Declaration.Kind {
        var names = memberScope(reserved: ReservedNames.cases)
        var seen: Set<String> = []
        var cases: [Declaration.EnumerationCase] = []
        for value in facets.enumeration where seen.insert(value.text).inserted {
            let name = SwiftName.enumerationCase(value.text)
            cases.append(
                .init(
                    name: names.claim(name, or: name + "Value"), value: value.text, documentation: value.documentation))
        }
        return .enumeration(
            cases, whiteSpace: facets.enumeration.contains { $0.text.needsWhiteSpace } ? .preserve : nil)
    }

    private mutating func unionCases(_ members: [TypeReference], in number: Int) -> [Declaration.UnionCase] {
        var names = memberScope(reserved: ReservedNames.cases)
        var cases: [Declaration.UnionCase] = []
        for member in members {
            let (caseName, typeName) =
                switch member {
                case .builtIn(let type): (SwiftName.member(type.rawValue), "Value")
                case .global(let name), .ofElement(let name): (SwiftName.member(name.local), "Value")
                case .anonymous: ("value", "Value")
                }
            let type = swiftType(member, name: typeName, or: "Member", in: number, isElement: false)
            // If two members have the same Swift type, the second is unreachable.
            guard !cases.contains(where: { $0.type == type }) else { continue }
            cases.append(.init(name: names.claim(caseName, or: caseName + "Value"), type: type))
        }
        return cases
    }

    /// Returns the Swift literal of a text's value; `nil` if there is no simple one.
    func literal(_ text: String, of type: SwiftType) -> String? {
        switch type {
        case .library("String"): return SourceText.literal(text)
        case .library("Bool"): return text == "true" || text == "1" ? "true" : "false"
        case .library(let name) where name.hasPrefix("Int"): return Int32(text).map(String.init)
        case .declared(let number):
            guard case .enumeration(let cases, _) = declarations[number].kind else { return nil }
            return cases.first { $0.value == text }.map { ".\($0.name)" }
        default: return nil
        }
    }
}

extension Facets {
    /// Whether there are facets to check, other than an enumeration.
    var isChecked: Bool {
        length != nil || minimumLength != nil || maximumLength != nil || !patterns.isEmpty || minimumInclusive != nil
            || minimumExclusive != nil || maximumInclusive != nil || maximumExclusive != nil || totalDigits != nil
            || fractionDigits != nil
    }
}

extension String {
    /// Whether collapsing whitespace changes the text.
    fileprivate var needsWhiteSpace: Bool {
        var previousIsSpace = true
        for byte in utf8 {
            guard byte <= 0x20 else {
                previousIsSpace = false
                continue
            }
            guard byte == 0x20, !previousIsSpace else { return true }
            previousIsSpace = true
        }
        return previousIsSpace && !isEmpty
    }
}
