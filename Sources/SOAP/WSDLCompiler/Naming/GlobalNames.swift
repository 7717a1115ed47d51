// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The Swift names of the global components of a schema.
struct GlobalNames {
    /// By the types' names.
    private(set) var types: [XMLName: String] = [:]
    /// The types of elements that define theirs themselves, by the elements' names.
    private(set) var elements: [XMLName: String] = [:]
    /// The enums of a type and those derived from it, by the type's name.
    private(set) var derivations: [XMLName: String] = [:]
    /// The enums of substitution groups, by the head's name.
    private(set) var substitutions: [XMLName: String] = [:]
    /// All names that are given.
    private(set) var scope = NameScope(reserved: ReservedNames.types)

    /// Names all components.
    ///
    /// Where components of several namespaces would have the same name, each is prefixed with its namespace's. In one namespace, an element whose name a type has
    /// ends in `Element`.
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

    /// Gives a name to something that is made beside the components.
    mutating func claim(_ name: String, or other: String) -> String { scope.claim(name, or: other) }
}

/// The names of one scope, each given once.
struct NameScope {
    /// Never changed, so that many scopes can share it.
    private let reserved: [Set<String>]
    private var taken: Set<String> = []
    private var next: [String: Int] = [:]

    /// A scope in which these names must not be given.
    init(reserved: Set<String>...) { self.reserved = reserved }

    /// The names that were given.
    var names: Set<String> { taken }

    /// Whether a name was given or is reserved.
    func contains(_ name: String) -> Bool { taken.contains(name) || reserved.contains { $0.contains(name) } }

    /// Gives the first of the names that is free, or else the last one with a number.
    mutating func claim(_ name: String, or others: String...) -> String {
        for candidate in [name] + others where !contains(candidate) {
            taken.insert(candidate)
            return candidate
        }
        let base = others.last ?? name
        // After a digit, a number would read as one with it.
        let stem = base.last?.isNumber == true ? base + "No" : base
        var number = next[stem] ?? 2
        while contains("\(stem)\(number)") { number += 1 }
        next[stem] = number + 1
        taken.insert("\(stem)\(number)")
        return "\(stem)\(number)"
    }

    /// Reserves a name for something else.
    mutating func reserve(_ name: String) { taken.insert(name) }
}
