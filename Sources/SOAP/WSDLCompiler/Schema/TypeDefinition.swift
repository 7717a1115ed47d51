// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments
package import XMLValues

/// A simple or complex type (XML Schema Part 1 section 2.2.1).
package enum TypeDefinition: Sendable {
    case simple(SimpleType)
    case complex(ComplexType)
}

/// A reference to the type of an element, an attribute or a list item.
package indirect enum TypeReference: Sendable {
    /// A built-in type (XML Schema Part 2 section 3).
    case builtIn(BuiltInType)
    /// A key of ``SchemaSet/types``.
    case global(XMLName)
    /// The anonymous type of a global element, whose name is a key of ``SchemaSet/elements``.
    case ofElement(XMLName)
    /// A type that is defined in place.
    case anonymous(TypeDefinition)

    /// The name of the type for `xsi:type`; `nil` for an anonymous type.
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
        /// A restriction of another simple type, with its own facets only, not those of the base.
        case restriction(base: TypeReference, facets: Facets)
        case list(item: TypeReference, facets: Facets)
        case union(members: [TypeReference], facets: Facets)
    }

    /// The name; `nil` for an anonymous type.
    package var name: XMLName?
    package var documentation: String?
    package var variety: Variety
    package var location: SourceLocation
}

/// The facets of a restriction (XML Schema Part 2 section 4.3).
package struct Facets: Sendable {
    package struct Value: Sendable {
        package var text: String
        package var documentation: String?
    }

    /// The values of an enumeration, in document order; empty if there is none.
    package var enumeration: [Value] = []
    package var length: Int?
    package var minimumLength: Int?
    package var maximumLength: Int?
    /// The alternative patterns, of which one must match if there are any (Part 2 section 4.3.4).
    package var patterns: [String] = []
    /// The bounds as text, because their meaning depends on the base type.
    package var minimumInclusive: String?
    package var minimumExclusive: String?
    package var maximumInclusive: String?
    package var maximumExclusive: String?
    package var totalDigits: Int?
    package var fractionDigits: Int?
    package var whiteSpace: XMLWhiteSpace?
}

/// A complex type, including the content from its base and from groups (XML Schema Part 1 section 3.4).
package struct ComplexType: Sendable {
    package enum Content: Sendable {
        case empty
        /// Text of a simple type.
        case simple(TypeReference)
        /// Elements. If the type extends another, this is a sequence of both types' particles, the base's first.
        case elements(Particle)
    }

    package enum Derivation: Sendable { case `extension`, restriction }

    /// The name; `nil` for an anonymous type.
    package var name: XMLName?
    package var documentation: String?
    /// The global complex base type and the kind of derivation; `nil` for `anyType` and for simple types.
    package var base: (name: XMLName, derivation: Derivation)?
    package var isAbstract = false
    /// Whether text may occur between the elements.
    package var isMixed = false
    /// The attributes, those of the base and of attribute groups first, without prohibited ones.
    package var attributes: [AttributeUse] = []
    /// Whether the type allows other attributes.
    package var hasAnyAttribute = false
    package var content = Content.empty
    /// The item type, for a SOAP-encoded array (SOAP 1.1 section 5.4); `content` is empty in that case.
    package var soapArrayItem: TypeReference?
    package var location = SourceLocation(document: "", line: 1)
}

/// An attribute of a complex type (XML Schema Part 1 sections 3.2, 3.5).
package struct AttributeUse: Sendable {
    /// The name in messages, which usually has no namespace.
    package var name: XMLName
    package var type: TypeReference
    package var isRequired: Bool
    package var defaultValue: String?
    package var fixedValue: String?
    package var documentation: String?
    package var location: SourceLocation
}
