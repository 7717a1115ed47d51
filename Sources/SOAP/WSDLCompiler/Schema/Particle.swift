// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// A part of a content model, and how often it occurs (XML Schema Part 1 section 3.9).
package struct Particle: Sendable {
    package indirect enum Term: Sendable {
        case element(ElementDeclaration)
        case sequence([Particle])
        case choice([Particle])
        /// Elements in any order.
        case all([Particle])
        /// Elements that no declaration names.
        case any(Wildcard)
    }

    package var minimum: Int
    /// `nil` for any number.
    package var maximum: Int?
    package var term: Term

    package init(minimum: Int = 1, maximum: Int? = 1, term: Term) {
        (self.minimum, self.maximum, self.term) = (minimum, maximum, term)
    }
}

/// An element, global or within a content model (XML Schema Part 1 section 3.3).
package struct ElementDeclaration: Sendable {
    /// With the namespace that it is written with: none for an unqualified local element.
    package var name: XMLName
    package var type: TypeReference
    /// Whether `xsi:nil` may stand for its content.
    package var isNillable = false
    package var isAbstract = false
    /// Whether this is a reference to a global element, whose substitution group may stand in its place.
    package var isReference = false
    package var defaultValue: String?
    package var fixedValue: String?
    package var documentation: String?
    package var location: SourceLocation

    package init(name: XMLName, type: TypeReference, location: SourceLocation) {
        (self.name, self.type, self.location) = (name, type, location)
    }
}

/// Which elements a wildcard takes (XML Schema Part 1 section 3.10).
package struct Wildcard: Sendable {
    package enum Namespaces: Hashable, Sendable {
        case any
        /// Any but this one, which `##other` means, and none.
        case other(than: String)
        /// These; an empty name is that of no namespace.
        case only([String])
    }

    package enum Processing: Sendable { case strict, lax, skip }

    package var namespaces: Namespaces
    package var processing: Processing

    package init(namespaces: Namespaces, processing: Processing) {
        (self.namespaces, self.processing) = (namespaces, processing)
    }
}
