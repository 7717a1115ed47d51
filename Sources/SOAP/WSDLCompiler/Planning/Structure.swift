// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

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
