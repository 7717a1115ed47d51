// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments
package import XMLValues

/// A type: a simple or a complex one (XML Schema Part 1 section 2.2.1).
package enum TypeDefinition: Sendable {
    case simple(SimpleType)
    case complex(ComplexType)
}

/// What an element, an attribute or a list's item is of.
package indirect enum TypeReference: Sendable {
    /// A type of XML Schema, Part 2 section 3.
    case builtIn(BuiltInType)
    /// A key of ``SchemaSet/types``.
    case global(XMLName)
    /// The anonymous type of a global element, whose name is a key of ``SchemaSet/elements``.
    case ofElement(XMLName)
    /// A type that is defined where it is used.
    case anonymous(TypeDefinition)

    /// The name that `xsi:type` has for it; `nil` for a type without a name.
    var xmlName: XMLName? {
        switch self {
        case .builtIn(let type): XMLName(type.rawValue, in: KnownNamespaces.schema)
        case .global(let name): name
        case .ofElement, .anonymous: nil
        }
    }

    /// Whether the type is defined in place.
    var isAnonymous: Bool { if case .anonymous = self { true } else { false } }
}

/// A simple type (XML Schema Part 2 section 4.1).
package struct SimpleType: Sendable {
    package enum Variety: Sendable {
        /// A restriction of another simple type; its own facets only, not those of the base.
        case restriction(base: TypeReference, facets: Facets)
        case list(item: TypeReference, facets: Facets)
        case union(members: [TypeReference], facets: Facets)
    }

    /// `nil` for an anonymous type.
    package var name: XMLName?
    package var documentation: String?
    package var variety: Variety
    package var location: SourceLocation
}

/// What a restriction says of a simple type (XML Schema Part 2 section 4.3).
package struct Facets: Sendable {
    package struct Value: Sendable {
        package var text: String
        package var documentation: String?
    }

    /// The values of an enumeration, in document order; empty where there is none.
    package var enumeration: [Value] = []
    package var length: Int?
    package var minimumLength: Int?
    package var maximumLength: Int?
    /// One of the patterns has to match, where there are any (Part 2 section 4.3.4).
    package var patterns: [String] = []
    /// Bounds as they are written, because their meaning is that of the base type.
    package var minimumInclusive: String?
    package var minimumExclusive: String?
    package var maximumInclusive: String?
    package var maximumExclusive: String?
    package var totalDigits: Int?
    package var fractionDigits: Int?
    package var whiteSpace: XMLWhiteSpace?
}

/// A complex type, with all that it has from its base and from groups (XML Schema Part 1 section 3.4).
package struct ComplexType: Sendable {
    package enum Content: Sendable {
        case empty
        /// Text of a simple type.
        case simple(TypeReference)
        /// Elements. The base's particles stand first, in a sequence of both, where the type extends another.
        case elements(Particle)
    }

    package enum Derivation: Sendable { case `extension`, restriction }

    /// `nil` for an anonymous type.
    package var name: XMLName?
    package var documentation: String?
    /// The global complex type that this one is derived from, and how; `nil` for `anyType` and for simple types.
    package var base: (name: XMLName, derivation: Derivation)?
    package var isAbstract = false
    /// Whether text may stand between the elements.
    package var isMixed = false
    /// Those of the base and of attribute groups first; prohibited ones are not there.
    package var attributes: [AttributeUse] = []
    /// Whether it takes any other attributes too.
    package var hasAnyAttribute = false
    package var content = Content.empty
    /// The type of the items, for an array of SOAP 1.1's encoding (section 5.4 of SOAP 1.1); `content` is empty then.
    package var soapArrayItem: TypeReference?
    package var location = SourceLocation(document: "", line: 1)
}

/// An attribute that a complex type has (XML Schema Part 1 section 3.2, 3.5).
package struct AttributeUse: Sendable {
    /// With the namespace that it is written with; most have none.
    package var name: XMLName
    package var type: TypeReference
    package var isRequired: Bool
    package var defaultValue: String?
    package var fixedValue: String?
    package var documentation: String?
    package var location: SourceLocation
}
