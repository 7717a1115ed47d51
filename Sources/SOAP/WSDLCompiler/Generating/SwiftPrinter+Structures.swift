// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

extension SwiftPrinter {
    mutating func structure(_ structure: Structure, _ number: Int, _ declaration: Declaration) {
        let conformance =
            switch structure.role {
            case .element: "XMLCodable"
            case .group: "XMLGroup"
            case .bodyParts: "SOAPBodyParts"
            }
        source.open("\(access)struct \(declaration.name): \(conformance) {")
        let properties = structure.properties
        for property in properties {
            source.comment(property.documentation.paragraphs)
            let type = plan.propertyType(property, in: number)
            source.statement(
                "\(property.wrapper)\(access)var \(SwiftName.escaped(property.name)): ", .text(type))
        }
        initializer(properties, number)
        nested(declaration.nested)
        xmlType(declaration.xmlType)
        if structure.role == .group { begins(structure, number) }
        encode(structure)
        decode(structure)
        source.close()
    }

    private mutating func initializer(_ properties: [Property], _ number: Int) {
        source.blank()
        source.comment([properties.isEmpty ? "Creates an empty value." : "Creates a value from its parts."])
        guard !properties.isEmpty else { return source.line("\(access)init() {}") }
        let parameters = properties.map { plan.parameter($0, in: number) }
        source.open("\(access)init(", parameters: parameters, ") {")
        for property in properties {
            let name = SwiftName.escaped(property.name)
            source.statement("self.\(name) = ", .text(name))
        }
        source.close()
    }

    private mutating func encode(_ structure: Structure) {
        source.blank()
        source.comment([structure.role == .element ? "Writes the attributes and the content." : "Writes the elements."])
        let head = "\(access)func encode(to xml: inout XMLWriter) throws(XMLValueError) {"
        guard !structure.properties.isEmpty else { return source.line(head + "}") }
        source.open(head)
        for property in structure.properties { write(property, value: Self.reference(property)) }
        source.close()
    }

    private mutating func decode(_ structure: Structure) {
        source.blank()
        source.comment([structure.role == .element ? "Reads the attributes and the content." : "Reads the elements."])
        let head = "\(access)init(from xml: inout XMLReader) throws(XMLValueError) {"
        guard !structure.members.isEmpty else { return source.line(head + "}") }
        source.open(head)
        for member in structure.members {
            switch member {
            case .beginAll: source.line("try xml.beginAll()")
            case .endAll: source.line("xml.endAll()")
            case .property(let property):
                let call = reading(property)
                if property.isNillableProperty {
                    source.statement("_\(property.name) = ", .call("Nillable", [.labelled("projectedValue", call)]))
                } else {
                    source.statement(Self.reference(property) + " = ", call)
                }
            }
        }
        source.close()
    }

    /// Returns the reference to a property in a method whose parameter is named `xml`.
    private static func reference(_ property: Property) -> String {
        property.name == "xml" ? "self.xml" : SwiftName.escaped(property.name)
    }

    /// Writes the call that encodes a property or the value of a case.
    mutating func write(_ property: Property, value: String) {
        let value = SourceExpression.text(property.isNillableProperty ? "$" + property.name : value)
        switch property.content {
        case .attribute(let name): source.statement("try ", .call("xml.attribute", arguments(name) + [value]))
        case .otherAttributes: source.statement("try ", .call("xml.attributes", [value]))
        case .text: source.statement("try ", .call("xml.text", [value]))
        case .mixed: source.statement("try ", .call("xml.mixed", [value]))
        case .element(let name, let isNillable, _):
            let function =
                switch (property.occurrence, isNillable) {
                case (.repeated, false): "xml.elements"
                case (.repeated, true): "xml.nillables"
                case (_, false): "xml.element"
                case (_, true): "xml.nillable"
                }
            let type = property.declaredType.map { type -> SourceExpression in
                .call("XMLName", [.literal(type.local), .labelled("in", namespaceExpression(type.namespace))])
            }
            source.statement(
                "try ", .call(function, arguments(name) + [value] + (type.map { [.labelled("type", $0)] } ?? [])))
        case .group:
            source.statement("try ", .call(property.occurrence == .repeated ? "xml.groups" : "xml.group", [value]))
        case .wildcard: source.statement("try ", .call("xml.any", [value]))
        }
    }

    /// Returns the call that decodes a property.
    mutating func reading(_ property: Property) -> SourceExpression {
        let occurrence = property.occurrence
        switch property.content {
        case .attribute(let name):
            return .call(Self.choose(occurrence, "attribute", "optionalAttribute", "attribute"), arguments(name))
        case .otherAttributes(let names):
            var list: [SourceExpression] = []
            for name in names { list.append(expression(name)) }
            return .call("xml.otherAttributes", [.labelled("except", .array(list))])
        case .text: return .call("try xml.text", [])
        case .mixed: return .call("try xml.mixed", [])
        case .element(let name, true, _):
            return .call(Self.choose(occurrence, "nillable", "optionalNillable", "nillables"), arguments(name))
        case .element(let name, false, let value):
            let function = Self.choose(occurrence, "element", "optionalElement", "elements")
            guard let value, occurrence != .repeated else { return .call(function, arguments(name)) }
            return .call(function, arguments(name) + [.labelled("default", .literal(value))])
        case .group: return .call(Self.choose(occurrence, "group", "optionalGroup", "groups"), [])
        case .wildcard(let wildcard):
            return .call(Self.choose(occurrence, "any", "optionalAny", "anys"), [expression(wildcard)])
        }
    }

    private static func choose(
        _ occurrence: Property.Occurrence, _ required: String, _ optional: String, _ repeated: String
    ) -> String {
        switch occurrence {
        case .required: "try xml." + required
        case .optional: "try xml." + optional
        case .repeated: "try xml." + repeated
        }
    }

    private mutating func expression(_ wildcard: Wildcard) -> SourceExpression {
        switch wildcard.namespaces {
        case .any: return ".any"
        case .other(let namespace): return .call(".other", [.labelled("than", namespaceExpression(namespace))])
        case .only(let namespaces):
            var list: [SourceExpression] = []
            for namespace in namespaces { list.append(namespaceExpression(namespace)) }
            return .call(".only", [.array(list)])
        }
    }

    private mutating func namespaceExpression(_ namespace: String) -> SourceExpression {
        plan.namespaceNames[namespace] == nil || namespace.isEmpty ? .literal(namespace) : .text(constant(namespace))
    }

    /// Writes the function that returns whether the reader's next element can be the group's first.
    private mutating func begins(_ structure: Structure, _ number: Int) {
        var conditions: [SourceExpression] = []
        var isInAll = false
        loop: for member in structure.members {
            switch member {
            case .beginAll: isInAll = true
            case .endAll:
                isInAll = false
                if structure.isRequiredInAll { break loop }
            case .property(let property):
                conditions.append(condition(property, in: number))
                if property.occurrence == .required, !isInAll { break loop }
            }
        }
        begins(conditions)
    }

    /// Writes `begins(at:)`.
    mutating func begins(_ conditions: [SourceExpression]) {
        source.open(
            "\(access)static func begins(at xml: borrowing XMLReader) -> Bool {",
            comment: "Returns whether the reader's next element can be the first one.")
        for condition in conditions.dropLast() { source.block("if \(condition.flat)", "return true") }
        if let last = conditions.last { source.statement("return ", last) }
        source.close()
    }

    /// Returns the condition that the reader's next element is the first of a property or case.
    mutating func condition(_ property: Property, in number: Int) -> SourceExpression {
        switch property.content {
        case .element(let name, _, _): return .call("xml.isNext", arguments(name))
        case .wildcard(let wildcard): return .call("xml.isNextAny", [expression(wildcard)])
        case .group: return .call(plan.name(of: property.type, in: number) + ".begins", ["at: xml"])
        case .attribute, .otherAttributes, .text, .mixed: return "true"
        }
    }
}

extension Structure {
    /// Whether an `xs:all` group has a required element.
    fileprivate var isRequiredInAll: Bool { properties.contains { $0.occurrence == .required } }
}

extension Property {
    /// The property wrapper and a space; empty if there is none.
    var wrapper: String {
        isNillableProperty ? "@Nillable " : isIndirect ? "@Indirect " : ""
    }
}

extension GenerationPlan {
    /// Returns the declared type of a property.
    func propertyType(_ property: Property, in scope: Int?) -> String {
        let type = name(of: property.type, in: scope)
        let isNillable = if case .element(_, true, _) = property.content { true } else { false }
        if case .otherAttributes = property.content { return "[XMLName: \(type)]" }
        return switch property.occurrence {
        case .repeated: isNillable ? "[\(type)?]" : "[\(type)]"
        case .optional: type + "?"
        case .required: isNillable ? type + "?" : type
        }
    }

    /// Returns the parameter for a property in an initializer or method.
    func parameter(_ property: Property, in scope: Int?) -> String {
        let type = propertyType(property, in: scope)
        let value: String? =
            switch property.occurrence {
            case .repeated: "[]"
            case .optional: "nil"
            case .required:
                if case .otherAttributes = property.content { "[:]" } else { property.initialValue }
            }
        return "\(SwiftName.label(property.name)): \(type)" + (value.map { " = " + $0 } ?? "")
    }
}
