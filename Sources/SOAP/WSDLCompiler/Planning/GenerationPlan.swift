// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// All that is made of a description, before it is text.
struct GenerationPlan {
    var declarations: [Declaration]
    /// The declarations that are not nested, each with the namespace whose file it goes to.
    var topLevel: [(number: Int, namespace: String)]
    var services: [ServicePlan]
    /// The name of each namespace, in UpperCamel case.
    var namespaceNames: [String: String]

    /// The type as it is written in a declaration, or outside of all.
    func name(of type: SwiftType, in scope: Int? = nil) -> String {
        switch type {
        case .library(let name): name
        case .list(let item): "XMLList<\(name(of: item, in: scope))>"
        case .soapArray(let item): "XMLSOAPArray<\(name(of: item, in: scope))>"
        case .declared(let number): name(of: number, in: scope)
        }
    }

    /// The type that an alias stands for; another type as it is.
    func resolved(_ type: SwiftType) -> SwiftType {
        var type = type
        // An alias of itself is refused when the schema is read.
        while case .declared(let number) = type, case .alias(let other) = declarations[number].kind { type = other }
        return type
    }

    /// Whether a declaration names anything of the runtime.
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

/// A type that is made.
struct Declaration {
    enum Kind {
        /// A struct with properties.
        case structure(Structure)
        /// An enum of the alternatives of a content model, or of the members of a substitution group.
        case choice([Property])
        /// An enum of a type and those derived from it, told apart by `xsi:type`.
        case derivations([DerivedCase])
        case enumeration([EnumerationCase], whiteSpace: XMLWhiteSpace?)
        /// A struct around a value that satisfies facets.
        case restriction(Restriction)
        case union([UnionCase])
        case alias(SwiftType)
    }

    struct DerivedCase {
        var name: String
        var type: Int
        /// The value of `xsi:type`; `nil` for the base, which needs none.
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
        /// Of the type itself first, then those of its bases.
        var facets: [Facets]
        /// The built-in type that the bounds are written in.
        var primitive: BuiltInType?
    }

    let name: String
    /// The declaration that this one stands in.
    let parent: Int?
    var documentation: Documentation
    /// The type's name in its schema.
    var xmlType: XMLName?
    var kind: Kind
    var nested: [Int] = []
    /// Whether it can hold no declarations, so that those of its parts stand beside it.
    var isAlias = false
    /// Whether an enum holds itself, by way of its cases.
    var isIndirect = false
}

/// What a comment says.
struct Documentation {
    /// The comment where the description has no documentation.
    var summary: String
    /// The description's words.
    var text: String?
    /// A sentence to add.
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
        /// Elements with no element around them.
        case group
        /// Elements that stand right in the Body.
        case bodyParts
    }

    enum Member {
        case property(Property)
        /// From here on, elements come in any order.
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
        /// Text and elements in their order.
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
    /// The name of the element's type, where messages have it beside values and the Swift type stands for several.
    var declaredType: XMLName?
    /// What an initializer's caller need not give, for a fixed value.
    var initialValue: String?
    /// Whether the element can be absent and also null, which a property wrapper tells apart.
    var isNillableProperty: Bool {
        guard case .element(_, true, _) = content else { return false }
        return occurrence == .optional
    }

    /// Whether the value is stored elsewhere, because it can hold one of the type that the property is in.
    var isIndirect = false
}
