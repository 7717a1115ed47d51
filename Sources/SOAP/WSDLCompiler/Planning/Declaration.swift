// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A type that is made.
struct Declaration {
    enum Kind {
        /// A struct with properties.
        case structure(Structure)
        /// An enum of the alternatives of a content model, or of the members of a substitution group.
        case choice([Property])
        /// An enum of a type and those derived from it, told apart by `xsi:type`.
        case derivations([DerivedCase])
        case enumeration([EnumerationCase], whiteSpace: Facets.WhiteSpace?)
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
