// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension SwiftPrinter {
    /// An enum with a case an alternative.
    mutating func choice(_ cases: [Property], _ number: Int, _ declaration: Declaration) {
        open(enumeration: declaration, "XMLGroup")
        for property in cases {
            if let text = property.documentation.text { source.comment(Documentation("", text: text).paragraphs) }
            source.line("case \(SwiftName.escaped(property.name))(\(plan.propertyType(property, in: number)))")
        }
        nested(declaration.nested)
        var conditions: [SourceExpression] = []
        for property in cases { conditions.append(condition(property, in: number)) }
        begins(conditions)
        source.blank()
        source.comment(["Writes the elements."])
        source.open("\(access)func encode(to xml: inout XMLWriter) throws(XMLValueError) {")
        source.line("switch self {")
        for property in cases {
            source.open("case .\(SwiftName.escaped(property.name))(let value):")
            write(property, value: "value")
            source.outdent()
        }
        source.line("}")
        source.close()
        source.blank()
        source.comment(["Reads the elements."])
        source.open("\(access)init(from xml: inout XMLReader) throws(XMLValueError) {")
        for (property, condition) in zip(cases, conditions) {
            source.open("if \(condition.flat) {")
            source.statement("self = ", .call("." + SwiftName.escaped(property.name), [reading(property)]))
            source.line("return")
            source.close()
        }
        source.line("throw xml.noChoice(\(SourceText.literal(declaration.name)))")
        source.close()
        source.close()
    }

    /// An enum with a case a type that an element can have.
    mutating func derivations(_ cases: [Declaration.DerivedCase], _ declaration: Declaration) {
        open(enumeration: declaration, "XMLCodable")
        for member in cases {
            source.line("case \(SwiftName.escaped(member.name))(\(plan.name(of: .declared(member.type))))")
        }
        source.blank()
        source.comment(["Writes the attributes and the content, after the type where it is a derived one."])
        source.open("\(access)func encode(to xml: inout XMLWriter) throws(XMLValueError) {")
        source.line("switch self {")
        for member in cases {
            source.open("case .\(SwiftName.escaped(member.name))(let value):")
            if let type = member.xmlType { source.statement("try ", .call("xml.typeAttribute", [expression(type)])) }
            source.line("try value.encode(to: &xml)")
            source.outdent()
        }
        source.line("}")
        source.close()
        source.blank()
        source.comment(["Reads the attributes and the content of the type that is named, or else of the base."])
        source.open("\(access)init(from xml: inout XMLReader) throws(XMLValueError) {")
        source.line("switch xml.xsiType {")
        for member in cases {
            let type = plan.declarations[member.type]
            if let name = member.xmlType {
                source.open("case \(expression(name).flat):")
            } else if let name = type.xmlType {
                source.open("case nil, \(expression(name).flat):")
            } else {
                source.open("case nil:")
            }
            let value = SourceExpression.call("try \(type.name)", ["from: &xml"])
            source.statement("self = ", .call("." + SwiftName.escaped(member.name), [value]))
            source.outdent()
        }
        source.open("case let type:")
        source.line("throw xml.unknownType(type)")
        source.outdent()
        source.line("}")
        source.close()
        source.close()
    }

    /// The head of an enum.
    mutating func open(enumeration declaration: Declaration, _ conformances: String) {
        let modifier = declaration.isIndirect ? "indirect " : ""
        source.open("\(access)\(modifier)enum \(declaration.name): \(conformances) {")
    }
}
