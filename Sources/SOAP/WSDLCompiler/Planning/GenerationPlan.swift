// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// The Swift declarations that are generated for a description, before they are printed.
struct GenerationPlan {
    var declarations: [Declaration]
    /// The declarations that are not nested, each with the namespace whose file declares it.
    var topLevel: [(number: Int, namespace: String)]
    var services: [ServicePlan]
    /// The UpperCamelCase name of each namespace.
    var namespaceNames: [String: String]

    /// Returns the name of a type as used in a declaration, or at the top level.
    func name(of type: SwiftType, in scope: Int? = nil) -> String {
        switch type {
        case .library(let name): name
        case .list(let item): "XMLList<\(name(of: item, in: scope))>"
        case .soapArray(let item): "XMLSOAPArray<\(name(of: item, in: scope))>"
        case .declared(let number): name(of: number, in: scope)
        }
    }

    /// Returns the target of an alias; any other type unchanged.
    func resolved(_ type: SwiftType) -> SwiftType {
        var type = type
        // The reader rejects an alias that refers to itself.
        while case .declared(let number) = type, case .alias(let other) = declarations[number].kind { type = other }
        return type
    }

    /// Returns whether a declaration uses a type of the runtime.
    func needsRuntime(_ number: Int) -> Bool {
        guard case .alias(let type) = declarations[number].kind else { return true }
        return switch type {
        case .library(let name): name == "Decimal" || name.hasPrefix("XML")
        case .list, .soapArray: true
        case .declared: false
        }
    }

    private func name(of number: Int, in scope: Int?) -> String {
        let declaration = declarations[number]
        guard let parent = declaration.parent, parent != scope else { return declaration.name }
        return name(of: parent, in: scope) + "." + declaration.name
    }
}

/// A type declaration to generate.
struct Declaration {
    enum Kind {
        /// A struct with properties.
        case structure(Structure)
        /// An enum of the alternatives of a choice, or of the members of a substitution group.
        case choice([Property])
        /// An enum of a type and its derived types, distinguished by `xsi:type`.
        case derivations([DerivedCase])
        case enumeration([EnumerationCase], whiteSpace: XMLWhiteSpace?)
        /// A struct with a value that satisfies facets.
        case restriction(Restriction)
        case union([UnionCase])
        case alias(SwiftType)
    }

    struct DerivedCase {
        var name: String
        var type: Int
        /// The value of `xsi:type`; `nil` for the base type, which needs none.
        var xmlType: XMLName?
    }

    struct EnumerationCase {
        var name: String
        var value: String
        var documentation: String?
    }

    struct UnionCase {
        var name: String
        var type: SwiftType
    }

    struct Restriction {
        var value: SwiftType
        /// The facets of the type itself first, then those of its base types.
        var facets: [Facets]
        /// The built-in type of the bounds.
        var primitive: BuiltInType?
    }

    let name: String
    /// The number of the enclosing declaration.
    let parent: Int?
    var documentation: Documentation
    /// The type's name in its schema.
    var xmlType: XMLName?
    var kind: Kind
    var nested: [Int] = []
    /// Whether this is a type alias, which cannot contain declarations; the declarations of its parts are its siblings.
    var isAlias = false
    /// Whether this is an enum that contains itself through its cases.
    var isIndirect = false
}

/// The content of a documentation comment.
struct Documentation {
    /// The summary if the description has no documentation.
    var summary: String
    /// The documentation in the description.
    var text: String?
    /// A sentence to append.
    var note: String?

    init(_ summary: String, text: String? = nil, note: String? = nil) {
        (self.summary, self.text, self.note) = (summary, text, note)
    }
}

/// The properties of a struct, in the order in which they are written.
struct Structure {
    enum Role {
        /// The attributes and the content of one element.
        case element
        /// Elements without an enclosing element.
        case group
        /// Direct child elements of the Body.
        case bodyParts
    }

    enum Member {
        case property(Property)
        /// The start of elements that may occur in any order.
        case beginAll
        case endAll
    }

    var role: Role
    var members: [Member] = []

    var properties: [Property] {
        members.compactMap { member in
            guard case .property(let property) = member else { return nil }
            return property
        }
    }
}

/// A property of a struct, or a case of a choice.
struct Property {
    enum Content {
        case attribute(XMLName)
        case otherAttributes(except: [XMLName])
        /// The element's text.
        case text
        /// Texts and elements in their order.
        case mixed
        case element(XMLName, isNillable: Bool, defaultValue: String?)
        case group
        case wildcard(Wildcard)
    }

    enum Occurrence { case required, optional, repeated }

    var name: String
    var type: SwiftType
    var content: Content
    var occurrence = Occurrence.required
    var documentation: Documentation
    /// The name of the element's type, if messages include type names and the Swift type is ambiguous.
    var declaredType: XMLName?
    /// The default argument of the initializer's parameter, for a fixed value.
    var initialValue: String?
    /// Whether the element can be either absent or null, which a property wrapper distinguishes.
    var isNillableProperty: Bool {
        guard case .element(_, true, _) = content else { return false }
        return occurrence == .optional
    }

    /// Whether the value is stored indirectly, because it can contain a value of the enclosing type.
    var isIndirect = false
}
