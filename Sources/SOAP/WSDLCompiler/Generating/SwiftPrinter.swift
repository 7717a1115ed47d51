// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Writes one Swift file of a plan.
struct SwiftPrinter {
    let plan: GenerationPlan
    let options: GenerationOptions
    var source = SourceWriter()
    /// The namespaces that the file uses, in the order of their first use.
    private var namespaces: [String] = []
    private var constants: [String: String] = [:]

    init(plan: GenerationPlan, options: GenerationOptions) { (self.plan, self.options) = (plan, options) }

    /// The access level and a space; empty for internal access.
    var access: String { options.access == .internal ? "" : options.access.rawValue + " " }

    /// Writes a file.
    mutating func file(document: String, services: [Int], declarations: [Int], isFirst: Bool) -> String {
        if let enclosure = options.enclosure {
            if isFirst { source.comment(["The service of \(document) and its types."]) }
            source.open(isFirst ? "\(access)enum \(enclosure) {" : "extension \(enclosure) {")
        }
        for index in services { service(plan.services[index]) }
        for number in declarations { declaration(number) }
        if options.enclosure != nil { source.close() }
        var head = SourceWriter()
        head.line(
            "\(GeneratedFile.mark) from \(document.filter { !$0.isNewline }). Changes are lost when it is generated again."
        )
        var modules = Set(options.imports)
        if !services.isEmpty {
            modules.insert("SOAPClients")
        } else if declarations.contains(where: { plan.needsRuntime($0) }) {
            modules.insert("XMLValues")
        }
        if !modules.isEmpty { head.blank() }
        for module in modules.sorted() { head.line("\(access)import \(module)") }
        if !namespaces.isEmpty { head.blank() }
        for namespace in namespaces {
            head.statement("private let \(constants[namespace] ?? "") = ", .literal(namespace))
        }
        return head.text + (services.isEmpty && declarations.isEmpty ? "" : "\n") + source.text
    }

    mutating func declaration(_ number: Int) {
        let declaration = plan.declarations[number]
        source.blank()
        source.comment(declaration.documentation.paragraphs)
        switch declaration.kind {
        case .structure(let structure): self.structure(structure, number, declaration)
        case .choice(let cases): choice(cases, number, declaration)
        case .derivations(let cases): derivations(cases, declaration)
        case .enumeration(let cases, let whiteSpace): enumeration(cases, whiteSpace, number, declaration)
        case .restriction(let restriction): self.restriction(restriction, number, declaration)
        case .union(let cases): union(cases, number, declaration)
        case .alias(let type): alias(type, number, declaration)
        }
    }

    /// Writes nested declarations.
    mutating func nested(_ numbers: [Int]) { for number in numbers { declaration(number) } }

    /// Returns the name of the constant for a namespace.
    mutating func constant(_ namespace: String) -> String {
        if let constant = constants[namespace] { return constant }
        let name = NamespaceConstant.name(of: plan.namespaceNames[namespace] ?? "Other")
        constants[namespace] = name
        namespaces.append(namespace)
        return name
    }

    /// Returns the arguments that name an element or an attribute.
    mutating func arguments(_ name: XMLName) -> [SourceExpression] {
        let local = SourceExpression.literal(name.local)
        return name.namespace.isEmpty ? [local] : [local, .labelled("in", .text(constant(name.namespace)))]
    }

    /// Returns an expression for a qualified name.
    mutating func expression(_ name: XMLName) -> SourceExpression { .call("XMLName", arguments(name)) }

    /// Writes the `xmlType` property, which holds the name of the type in its schema.
    mutating func xmlType(_ name: XMLName?) {
        guard let name else { return }
        source.blank()
        source.comment(["The name of the type in its schema."])
        source.block("\(access)static var xmlType: XMLName?", expression(name))
    }
}

extension SwiftPrinter {
    /// Writes an enum with one case for each alternative.
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
        source.open(
            "\(access)func encode(to xml: inout XMLWriter) throws(XMLValueError) {",
            comment: "Writes the elements.")
        source.line("switch self {")
        for property in cases {
            source.open("case .\(SwiftName.escaped(property.name))(let value):")
            write(property, value: "value")
            source.outdent()
        }
        source.line("}")
        source.close()
        source.open("\(access)init(from xml: inout XMLReader) throws(XMLValueError) {", comment: "Reads the elements.")
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

    /// Writes an enum with one case for each type that an element can have.
    mutating func derivations(_ cases: [Declaration.DerivedCase], _ declaration: Declaration) {
        open(enumeration: declaration, "XMLCodable")
        for member in cases {
            source.line("case \(SwiftName.escaped(member.name))(\(plan.name(of: .declared(member.type))))")
        }
        source.open(
            "\(access)func encode(to xml: inout XMLWriter) throws(XMLValueError) {",
            comment: "Writes the attributes and the content, after the type name if the type is derived.")
        source.line("switch self {")
        for member in cases {
            source.open("case .\(SwiftName.escaped(member.name))(let value):")
            if let type = member.xmlType { source.statement("try ", .call("xml.typeAttribute", [expression(type)])) }
            source.line("try value.encode(to: &xml)")
            source.outdent()
        }
        source.line("}")
        source.close()
        source.open(
            "\(access)init(from xml: inout XMLReader) throws(XMLValueError) {",
            comment: "Reads the attributes and the content of the type that `xsi:type` names, or else of the base type."
        )
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

    /// Opens the block of an enum.
    mutating func open(enumeration declaration: Declaration, _ conformances: String) {
        let modifier = declaration.isIndirect ? "indirect " : ""
        source.open("\(access)\(modifier)enum \(declaration.name): \(conformances) {")
    }
}
