// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The Swift names of the global components of a schema.
struct GlobalNames {
    /// The Swift names of the global types, by schema name.
    private(set) var types: [XMLName: String] = [:]
    /// The Swift names of the anonymous types of global elements, by element name.
    private(set) var elements: [XMLName: String] = [:]
    /// The names of the enums of a type and its derived types, by the name of the base type.
    private(set) var derivations: [XMLName: String] = [:]
    /// The names of the enums of substitution groups, by the name of the head.
    private(set) var substitutions: [XMLName: String] = [:]
    /// All assigned names.
    private(set) var scope = NameScope(reserved: ReservedNames.types)

    /// Assigns names to all components.
    ///
    /// If components of several namespaces would have the same name, each is prefixed with the name of its namespace.
    /// An element with the same name as a type in its namespace gets the suffix `Element`.
    init(_ schema: SchemaSet, namespaces: [String: String], enclosure: String?) {
        if let enclosure { scope.reserve(enclosure) }
        let elementNames =
            schema.elementOrder.filter { schema.elements[$0]?.type.isAnonymous == true } + schema.hoistedOrder
        var origins: [String: Set<String>] = [:]
        for name in schema.typeOrder + elementNames {
            origins[SwiftName.type(name.local), default: []].insert(name.namespace)
        }
        func base(_ name: XMLName) -> String {
            let base = SwiftName.type(name.local)
            let isShared = (origins[base]?.count ?? 0) > 1
            return isShared ? (namespaces[name.namespace] ?? "") + base : base
        }
        for name in schema.typeOrder {
            let base = base(name)
            types[name] = scope.claim(base, or: base + "Type")
        }
        for name in elementNames {
            let base = base(name)
            elements[name] = scope.claim(base, or: base + "Element")
        }
        for name in schema.typeOrder where schema.derivations[name]?.isEmpty == false {
            let base = "Any" + (types[name] ?? "")
            derivations[name] = scope.claim(base, or: base + "Type")
        }
        for name in schema.elementOrder where schema.substitutions[name]?.isEmpty == false {
            let base = "Any" + base(name)
            substitutions[name] = scope.claim(base, or: base + "Element")
        }
    }

    /// Assigns a name to a generated declaration that is not a component.
    mutating func claim(_ name: String, or other: String) -> String { scope.claim(name, or: other) }
}

/// The names of one scope, each assigned at most once.
struct NameScope {
    /// The reserved names, which never change, so that many scopes share their storage.
    private let reserved: [Set<String>]
    private var taken: Set<String> = []
    private var next: [String: Int] = [:]

    /// Creates a scope with reserved names.
    init(reserved: Set<String>...) { self.reserved = reserved }

    /// The assigned names.
    var names: Set<String> { taken }

    /// Returns whether a name is assigned or reserved.
    func contains(_ name: String) -> Bool { taken.contains(name) || reserved.contains { $0.contains(name) } }

    /// Assigns the first of the names that is free, or else the last one with a number.
    mutating func claim(_ name: String, or others: String...) -> String {
        for candidate in [name] + others where !contains(candidate) {
            taken.insert(candidate)
            return candidate
        }
        let base = others.last ?? name
        // A number directly after a digit would be ambiguous.
        let stem = base.last?.isNumber == true ? base + "No" : base
        var number = next[stem] ?? 2
        while contains("\(stem)\(number)") { number += 1 }
        next[stem] = number + 1
        taken.insert("\(stem)\(number)")
        return "\(stem)\(number)"
    }

    /// Reserves a name.
    mutating func reserve(_ name: String) { taken.insert(name) }
}
