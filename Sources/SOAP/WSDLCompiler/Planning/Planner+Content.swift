// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension Planner {
    /// Adds the properties of a part of a normalized content model.
    mutating func add(_ particle: Particle, to builder: inout StructureBuilder) {
        switch particle.term {
        case .element(let element):
            let property = property(for: element, particle, names: &builder.names, in: builder.number)
            builder.members.append(.property(property))
        case .any(let wildcard):
            let name = particle.occurrence == .repeated ? "otherElements" : "otherElement"
            let property = Property(
                name: builder.names.claim(name), type: .library("XMLElementValue"), content: .wildcard(wildcard),
                occurrence: particle.occurrence, documentation: Documentation(Self.summary(of: wildcard, particle)))
            builder.members.append(.property(property))
        case .sequence(let parts) where particle.isSingle:
            for part in parts { add(part, to: &builder) }
        case .all(let parts) where particle.maximum == 1 && (particle.isSingle || parts.allSatisfy(\.isEmptiable)):
            builder.members.append(.beginAll)
            for part in parts { add(part, to: &builder) }
            builder.members.append(.endAll)
        case .sequence, .all, .choice:
            let property = groupProperty(particle, names: &builder.names, in: builder.number)
            builder.members.append(.property(property))
        }
    }

    private static func summary(of wildcard: Wildcard, _ particle: Particle) -> String {
        let subject = particle.occurrence == .repeated ? "Elements" : "An element"
        return switch wildcard.namespaces {
        case .any: "\(subject) of any name."
        case .other: "\(subject) of another namespace."
        case .only(let namespaces) where namespaces == [""]: "\(subject) of no namespace."
        case .only: "\(subject) of certain namespaces."
        }
    }

    /// Returns the property or case for an element.
    private mutating func property(
        for element: ElementDeclaration, _ particle: Particle, names: inout NameScope, in parent: Int
    ) -> Property {
        let name = names.claim(SwiftName.member(element.name.local))
        let documentation = Documentation("The element `\(element.name.local)`.", text: element.documentation)
        if element.isReference, let group = substitutions(of: element.name) {
            return Property(
                name: name, type: .declared(group), content: .group, occurrence: particle.occurrence,
                documentation: documentation)
        }
        if element.isAbstract {
            return Property(
                name: name, type: .library("XMLElementValue"),
                content: .wildcard(Wildcard(namespaces: .any, processing: .strict)), occurrence: particle.occurrence,
                documentation: documentation)
        }
        let type = swiftType(
            element.type, name: SwiftName.type(element.name.local), in: parent, isElement: true)
        var property = Property(
            name: name, type: type,
            content: .element(
                element.name, isNillable: element.isNillable, defaultValue: element.fixedValue ?? element.defaultValue),
            occurrence: particle.occurrence, documentation: documentation)
        property.declaredType = declaredType(element.type)
        if let value = element.fixedValue {
            property.documentation.note = "Always \(Self.quoted(value))."
            property.initialValue = particle.occurrence == .required ? literal(value, of: type) : nil
        } else if let value = element.defaultValue {
            property.documentation.note = "An empty element means \(Self.quoted(value))."
        }
        return property
    }

    /// Returns the property or case for a group of elements, and declares the type of its value.
    private mutating func groupProperty(_ particle: Particle, names: inout NameScope, in parent: Int) -> Property {
        let isChoice = if case .choice = particle.term { true } else { false }
        let first = particle.firstElement?.name.local ?? "other"
        let name = names.claim(isChoice ? "choice" : SwiftName.member(first) + "Group")
        let typeName = SwiftName.type(name)
        let summary = isChoice ? "One of several elements." : "Elements that occur together, from `\(first)` on."
        let number = declareNested(typeName, or: typeName + "Content", in: parent, summary)
        switch particle.term {
        case .choice(let parts):
            var caseNames = memberScope(reserved: ReservedNames.cases)
            declarations[number].kind = .choice(parts.map { alternative($0, names: &caseNames, in: number) })
        case .sequence(let parts):
            var builder = StructureBuilder(number: number, names: memberScope(reserved: ReservedNames.members))
            for part in parts { add(part, to: &builder) }
            declarations[number].kind = .structure(Structure(role: .group, members: builder.members))
        default:
            var builder = StructureBuilder(number: number, names: memberScope(reserved: ReservedNames.members))
            add(Particle(term: particle.term), to: &builder)
            declarations[number].kind = .structure(Structure(role: .group, members: builder.members))
        }
        return Property(
            name: name, type: .declared(number), content: .group, occurrence: particle.occurrence,
            documentation: Documentation(summary))
    }

    /// Returns a case of a choice.
    private mutating func alternative(_ particle: Particle, names: inout NameScope, in parent: Int) -> Property {
        var builder = StructureBuilder(number: parent, names: names)
        switch particle.term {
        case .element, .any: add(particle, to: &builder)
        case .sequence, .all, .choice:
            let property = groupProperty(particle, names: &builder.names, in: parent)
            builder.members.append(.property(property))
        }
        names = builder.names
        guard case .property(let property)? = builder.members.first else {
            preconditionFailure("A part has a property")
        }
        return property
    }

    /// Returns the enum of the elements that can replace a global element; `nil` if there are none.
    private mutating func substitutions(of head: XMLName) -> Int? {
        if let number = substitutionNumbers[head] { return number }
        guard let members = schema.substitutions[head], let swiftName = names.substitutions[head] else { return nil }
        let elements = ([head] + members).compactMap { schema.elements[$0] }.filter { !$0.isAbstract }
        guard !elements.isEmpty else { return nil }
        let number = declareGlobal(
            swiftName, in: head, xmlType: nil, "The element `\(head.local)`, or one that can replace it.")
        substitutionNumbers[head] = number
        var caseNames = memberScope(reserved: ReservedNames.cases)
        var cases: [Property] = []
        for element in elements {
            var element = element
            element.isReference = false
            element.type = element.type.isAnonymous ? .ofElement(element.name) : element.type
            cases.append(property(for: element, Particle(term: .element(element)), names: &caseNames, in: number))
        }
        declarations[number].kind = .choice(cases)
        return number
    }
}

extension Particle {
    /// The number of occurrences, as a property represents it.
    var occurrence: Property.Occurrence {
        maximum != 1 ? .repeated : minimum == 0 ? .optional : .required
    }
}

/// A declaration whose properties are being collected.
struct StructureBuilder {
    /// The declaration's number.
    let number: Int
    /// The names of the properties.
    var names: NameScope
    var members: [Structure.Member] = []
}
