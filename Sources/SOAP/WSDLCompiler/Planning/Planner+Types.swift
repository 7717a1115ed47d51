// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension Planner {
    /// Sets the kind of a declaration.
    mutating func define(_ number: Int, _ definition: TypeDefinition) {
        switch definition {
        case .simple(let type): define(number, simple: type)
        case .complex(let type): define(number, complex: type)
        }
    }

    private mutating func define(_ number: Int, complex type: ComplexType) {
        declarations[number].documentation.text = type.documentation
        if let item = type.soapArrayItem {
            declarations[number].isAlias = true
            declarations[number].kind = .alias(.soapArray(swiftType(item, name: "Item", in: number, isElement: true)))
            return
        }
        var builder = StructureBuilder(number: number, names: memberScope(reserved: ReservedNames.members))
        var members: [Structure.Member] = []
        switch type.content {
        case .empty: break
        case .simple(let reference):
            let value = swiftType(reference, name: "Value", in: number, isElement: false)
            members = [
                .property(
                    Property(
                        name: builder.names.claim("value"), type: value, content: .text,
                        documentation: Documentation("The element's text.")))
            ]
        case .elements(let particle) where !type.isMixed:
            if let particle = particle.normalized() { add(particle, to: &builder) }
            members = builder.members
        case .elements: break
        }
        if type.isMixed {
            members = [
                .property(
                    Property(
                        name: builder.names.claim("content"), type: .library("XMLContent"), content: .mixed,
                        occurrence: .repeated, documentation: Documentation("The texts and elements, in their order.")))
            ]
        }
        // Attributes come first, but are named last, so that only their names get a suffix.
        let attributes = attributes(of: type, in: &builder)
        declarations[number].kind = .structure(Structure(role: .element, members: attributes + members))
    }

    /// Returns the properties for attributes.
    private mutating func attributes(of type: ComplexType, in builder: inout StructureBuilder) -> [Structure.Member] {
        var result: [Structure.Member] = []
        for attribute in type.attributes {
            let name = SwiftName.member(attribute.name.local)
            let swift = swiftType(
                attribute.type, name: SwiftName.type(attribute.name.local), or: "Attribute", in: builder.number,
                isElement: false)
            var property = Property(
                name: builder.names.claim(name, or: name + "Attribute"), type: swift,
                content: .attribute(attribute.name), occurrence: attribute.isRequired ? .required : .optional,
                documentation: Documentation("The attribute `\(attribute.name.local)`.", text: attribute.documentation))
            if let value = attribute.fixedValue {
                property.documentation.note = "Always \(Self.quoted(value))."
                property.initialValue = attribute.isRequired ? literal(value, of: swift) : nil
            } else if let value = attribute.defaultValue, !attribute.isRequired {
                property.documentation.note = "The default is \(Self.quoted(value))."
            }
            result.append(.property(property))
        }
        if type.hasAnyAttribute {
            let name = builder.names.claim("otherAttributes")
            let property = Property(
                name: name, type: .string, content: .otherAttributes(except: type.attributes.map(\.name)),
                documentation: Documentation("The attributes that the type does not declare."))
            result.append(.property(property))
        }
        return result
    }

    /// Returns the Swift type of an element, an attribute, an item or a text.
    ///
    /// - Parameters:
    ///   - reference: The type in the schema.
    ///   - name: The name of the declaration, if the type is defined in place.
    ///   - suffix: The suffix that is added to the name if it is taken.
    ///   - parent: The enclosing declaration of a new declaration.
    ///   - isElement: Whether `xsi:type` can name a derived type.
    /// - Returns: The Swift type, whose declaration may not be complete yet.
    mutating func swiftType(
        _ reference: TypeReference, name: String, or suffix: String = "Element", in parent: Int, isElement: Bool
    ) -> SwiftType {
        switch reference {
        case .builtIn(let type): return SwiftType(type)
        case .global(let name):
            guard let number = typeNumbers[name] else { return .anyValue }
            if isElement, let group = derivations(of: name) { return .declared(group) }
            return .declared(number)
        case .ofElement(let name):
            guard let number = elementNumbers[name] else { return .anyValue }
            return .declared(number)
        case .anonymous(.simple(let type)):
            if let plain = plainType(type, name: name, in: parent) { return plain }
            let number = declareNested(
                name, or: name + suffix, in: parent, "The values of `\(SwiftName.member(name))`.")
            define(number, simple: type)
            return .declared(number)
        case .anonymous(.complex(let type)):
            if let item = type.soapArrayItem {
                return .soapArray(swiftType(item, name: name, or: suffix, in: parent, isElement: true))
            }
            let number = declareNested(
                name, or: name + suffix, in: parent, "The content of `\(SwiftName.member(name))`.")
            define(number, complex: type)
            return .declared(number)
        }
    }

    /// Returns the enum of a type and its derived types; `nil` if there are no derived types.
    private mutating func derivations(of name: XMLName) -> Int? {
        if let number = derivationNumbers[name] { return number }
        guard let derived = schema.derivations[name], let swiftName = names.derivations[name] else { return nil }
        var caseNames = memberScope(reserved: ReservedNames.cases)
        var cases: [Declaration.DerivedCase] = []
        for member in [name] + derived {
            guard let type = typeNumbers[member], case .complex(let definition)? = schema.types[member],
                !definition.isAbstract, definition.soapArrayItem == nil
            else { continue }
            let caseName = caseNames.claim(SwiftName.member(member.local))
            cases.append(.init(name: caseName, type: type, xmlType: member == name ? nil : member))
        }
        guard !cases.isEmpty else { return nil }
        let number = declareGlobal(
            swiftName, in: name, xmlType: nil, "A `\(name.local)`, or a type that is derived from it.")
        derivationNumbers[name] = number
        declarations[number].kind = .derivations(cases)
        return number
    }

    /// Returns the value in quotation marks for a comment.
    static func quoted(_ value: String) -> String {
        value.isEmpty ? "the empty text" : "`\(String(value.map { $0.isNewline || $0 == "`" ? " " : $0 }))`"
    }
}
